import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { hasLabels } from '../../compiler/topology/selector.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { type RuleAt, rulesOf } from '../authorization/walk.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { decidingScopes } from '../tls/deciding-scopes.ts';
import { bySelector } from '../tokens/meeting.ts';

const isIdentity = /^(principals|namespaces|serviceAccounts|trustDomains|source\.(principal|namespace))$/;

/** Identities come from client certificates, which a workload of mode DISABLE never sees. */
export const rule: Rule = {
  code: 'identity-without-mutual-tls',
  id: 'MP311',
  peers: ['KIA0105'],
  severity: 'warning',
  category: 'authorization',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a rule about identities where mutual TLS is switched off',
  why: 'clients without a certificate have no identity, so the condition matches no client: an ALLOW rule lets nobody in, and a DENY rule denies nobody',
  hint: 'write mode PERMISSIVE in the PeerAuthentication, or STRICT, which refuses clients without a sidecar',
  check({ snapshot, report, skip }) {
    checkUnseen(snapshot, report, skip);
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      const [first] = workloads;
      if (first === undefined || workloads.some(({ role }) => role !== 'sidecar')) continue;
      for (const at of rulesOf([policy])) {
        const found = placedValues(at, isIdentity).find(({ isNegated }) => !isNegated);
        if (found === undefined || !workloads.every((workload) => isPlain(snapshot, workload, portsOf(at)))) continue;
        const message = `"${found.field}" matches nobody at "${first.namespace}/${first.name}", where mutual TLS is switched off`;
        report({ object: policy, path: found.path, message });
      }
    }
  },
};

/** Where the input has no workload of a namespace, the mode of the whole namespace tells. */
function checkUnseen(snapshot: Snapshot, report: RuleContext['report'], skip: RuleContext['skip']): void {
  const { policies, topology, settings } = snapshot;
  const scopes = decidingScopes(policies.peerAuthentications);
  const selecting = new Set(
    policies.peerAuthentications.filter(({ spec }) => hasLabels(spec.selector)).map(({ namespace }) => namespace),
  );
  // The one policy of a selector decides for whatever the same selector of another policy takes.
  const deciding = new Map(
    [...bySelector(policies.peerAuthentications)].flatMap(([key, [first, ...others]]) =>
      first !== undefined && others.length === 0 && hasLabels(first.spec.selector) && !first.spec.portLevelMtls
        ? [[key, first] as const]
        : [],
    ),
  );
  const selectorOf = (policy: AuthorizationPolicy): string => [...bySelector([policy]).keys()][0] ?? '';
  const workloads = workloadsByLabels(topology);
  for (const policy of policies.authorizationPolicies) {
    const { namespace } = policy;
    if (namespace === settings.rootNamespace || workloads.select(namespace, undefined).length > 0) continue;
    const own = deciding.get(selectorOf(policy));
    const scope = selecting.has(namespace) ? own : (scopes.get(namespace) ?? scopes.get(settings.rootNamespace));
    if (scope === undefined) skip(policy);
    if (scope?.spec.mtls?.mode !== 'DISABLE') continue;
    for (const at of rulesOf([policy])) {
      const found = placedValues(at, isIdentity).find(({ isNegated }) => !isNegated);
      if (found === undefined) continue;
      report({
        ...{ object: policy, path: found.path },
        message: `"${found.field}" matches nobody ${scope === own ? 'at these workloads' : `in namespace "${namespace}"`}, where mutual TLS is switched off`,
        related: [{ object: scope, path: ['spec', 'mtls', 'mode'], message: 'the mode of the workloads' }],
      });
    }
  }
}

/** The ports that a rule is for; undefined where an operation of it names none. */
function portsOf({ rule: { to = [] } }: RuleAt): readonly number[] | undefined {
  const named = to.map(({ operation: { ports } }) => ports?.map(Number));
  return named.length === 0 || named.includes(undefined) ? undefined : named.flatMap((ports) => ports ?? []);
}

/** Whether mutual TLS is switched off for these ports, or for all of them. */
function isPlain({ effective }: Snapshot, workload: Workload, asked: readonly number[] | undefined): boolean {
  const { mode, ports } = effective.inbound(workload);
  const modes = asked?.map((port) => ports.get(port) ?? mode) ?? [mode, ...ports.values()];
  return modes.length > 0 && modes.every(({ value }) => value === 'DISABLE');
}
