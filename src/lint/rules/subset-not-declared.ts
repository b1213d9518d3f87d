import { destinationsOf } from '../../compiler/topology/destinations.ts';
import { boundGateways } from '../../compiler/topology/gateway-name.ts';
import { resolveShortName, subsetOf } from '../../compiler/topology/host.ts';
import { append } from '../../lib/append.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import type { Rule } from '../rule.ts';

/** Subsets are declared by a DestinationRule for the same host. */
export const rule: Rule = {
  code: 'subset-not-declared',
  id: 'MP617',
  peers: ['IST0101', 'KIA1107'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['VirtualService'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a destination subset that no DestinationRule of the host defines, or none that the clients see',
  why: 'HTTP requests that are routed there get 503, and TCP connections are closed',
  hint: 'add the subset to the DestinationRule of the host, or correct its name',
  check({ snapshot, report, skip }) {
    const { policies, settings } = snapshot;
    const rules = new Map<string, DestinationRule[]>();
    const wildcards: { readonly host: string; readonly rule: DestinationRule }[] = [];
    for (const rule of policies.destinationRules) {
      const host = resolveShortName(rule.spec.host, rule.namespace, settings.clusterDomain);
      if (host.startsWith('*')) wildcards.push({ host, rule });
      else append(rules, host, rule);
    }
    for (const object of policies.virtualServices) {
      for (const { destination, path } of destinationsOf(object)) {
        const { host: text, subset } = destination;
        if (subset === undefined) continue;
        const host = resolveShortName(text, object.namespace, settings.clusterDomain);
        const own = rules.get(host) ?? [];
        // The rule may be kept elsewhere where none of the host is here.
        if (own.length === 0) {
          skip(object);
          continue;
        }
        const declaring = own.filter((rule) => hasSubset(rule, subset));
        if (wildcards.some((it) => subsetOf(host, it.host) && hasSubset(it.rule, subset))) continue;
        const without = viewersOf(object).find((viewer) => !declaring.some((rule) => isSeenFrom(viewer, rule)));
        if (without === undefined) continue;
        report({
          ...{ object, path: [...path, 'subset'] },
          why: path.some((field) => /^mirrors?$/.test(String(field))) ? whyOfMirror : undefined,
          message:
            declaring.length === 0
              ? `no DestinationRule of the input for "${host}" has a subset "${subset}"`
              : `the DestinationRule that has the subset "${subset}" of "${host}" is not exported to namespace "${without}"${without === object.namespace ? '' : ', to which these routes are exported'}`,
          hint:
            declaring.length === 0
              ? hintOf(subset, own)
              : without === object.namespace
                ? 'export the rule to the namespaces of the clients, or have one beside the routes'
                : 'export rule and routes to the same namespaces (exportTo)',
          related: own
            .slice(0, 1)
            .map((rule) => ({ object: rule, path: ['spec', 'host'], message: 'the rule of that host' })),
        });
      }
    }
  },
};

/** The name that is nearly the same, or says more. */
function hintOf(subset: string, own: readonly DestinationRule[]): string | undefined {
  const names = own.flatMap(({ spec }) => (spec.subsets ?? []).map(({ name }) => name));
  const [longer, ...others] = names.filter((name) => name.startsWith(`${subset}-`));
  const meant = others.length === 0 ? longer : undefined;
  return meant && `did you mean "${meant}"? Else add the subset to the DestinationRule`;
}

const whyOfMirror = 'no copy of the requests arrives there; the requests themselves are not affected';

/** Namespaces whose clients have the routes, as far as they are named: that of the object first. */
function viewersOf({ namespace, spec: { exportTo = [], gateways } }: VirtualService): readonly string[] {
  const isForClients = boundGateways(gateways, namespace).includes('mesh');
  return [namespace, ...(isForClients ? exportTo.filter((to) => !['.', '*', '~', namespace].includes(to)) : [])];
}

/** Whether clients of the namespace have the rule: by default it is exported to all. */
function isSeenFrom(namespace: string, { spec: { exportTo = [] }, namespace: own }: DestinationRule): boolean {
  return exportTo.length === 0 || exportTo.some((to) => to === '*' || (to === '.' ? own : to) === namespace);
}

function hasSubset({ spec }: DestinationRule, subset: string): boolean {
  return spec.subsets?.some(({ name }) => name === subset) === true;
}
