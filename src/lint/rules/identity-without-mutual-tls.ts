import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { hasLabels } from '../../compiler/topology/selector.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { gatewayIdentity } from '../authorization/gateway-identity.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { type PlacedValue, placedValues } from '../authorization/placed-values.ts';
import { type RuleAt, rulesOf } from '../authorization/walk.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { decidingScopes } from '../tls/deciding-scopes.ts';
import { bySelector } from '../tokens/meeting.ts';

const isIdentity = /^(principals|namespaces|serviceAccounts|trustDomains|source\.(principal|namespace))$/;

/** Identities come from client certificates, which a workload of mode DISABLE never sees, and few servers of gateways ask for. */
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
  judges: 'each',
  since: '0.1.0',
  title: 'a rule about identities where mutual TLS is switched off',
  why: 'clients without a certificate have no identity, so the condition matches no client: an ALLOW rule lets nobody in, and a DENY rule denies nobody',
  hint: 'write mode PERMISSIVE in the PeerAuthentication, or STRICT, which refuses clients without a sidecar',
  check({ snapshot, report, skip }) {
    checkUnseen(snapshot, report, skip);
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      const [first] = workloads;
      if (first === undefined) continue;
      const name = `${first.namespace}/${first.name}`;
      if (workloads.every(({ role }) => role === 'router') && gatewayIdentity(policy, snapshot) === 'none') {
        const { found, related } = withOthers(rulesOf([policy]).flatMap(identityOf));
        if (found === undefined) continue;
        report({
          ...{ object: policy, path: found.path, related, why: whyAtGateway, hint: hintAtGateway },
          message: `"${found.field}" matches nobody at gateway "${name}", none of whose servers asks for a certificate of the mesh`,
        });
      } else if (workloads.every(({ role }) => role === 'sidecar')) {
        const isOff = (at: RuleAt): boolean => workloads.every((it) => isPlain(snapshot, it, portsOf(at)));
        const { found, related } = withOthers(rulesOf([policy]).flatMap((at) => (isOff(at) ? identityOf(at) : [])));
        if (found === undefined) continue;
        const message = `"${found.field}" matches nobody at "${name}", where mutual TLS is switched off`;
        report({ object: policy, path: found.path, message, related });
      }
    }
  },
};

const whyAtGateway =
  'clients of a gateway have an identity only where a server asks for their certificate: an ALLOW rule lets nobody in by it, and a DENY rule denies nobody';
const hintAtGateway =
  'name clients from outside by ipBlocks, remoteIpBlocks or requestPrincipals; for clients of the mesh, write the tls mode MESH_MUTUAL of a server for them';

interface IdentityAt extends PlacedValue {
  readonly policy: AuthorizationPolicy;
}

/** The first condition of a rule that asks for an identity. */
function identityOf(at: RuleAt): readonly IdentityAt[] {
  const found = placedValues(at, isIdentity).find(({ isNegated }) => !isNegated);
  return found === undefined ? [] : [{ ...found, policy: at.policy }];
}

/** One cause gives one finding a policy: the further rules are related. */
function withOthers([found, ...others]: readonly IdentityAt[]) {
  const message = 'the same holds for this condition';
  return { found, related: others.map(({ policy, path }) => ({ object: policy, path, message })) };
}

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
    const { found, related } = withOthers(rulesOf([policy]).flatMap(identityOf));
    if (found === undefined) continue;
    report({
      ...{ object: policy, path: found.path },
      message: `"${found.field}" matches nobody ${scope === own ? 'at these workloads' : `in namespace "${namespace}"`}, where mutual TLS is switched off`,
      related: [...related, { object: scope, path: ['spec', 'mtls', 'mode'], message: 'the mode of the workloads' }],
    });
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
