import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { HttpPolicyFilterIR, NetworkPolicyFilterIR } from '../ir/policy-filter.ts';
import type { ClientScope, Effective } from '../merge/effective.ts';
import type { Workload } from '../topology/model.ts';
import { authenticationFilters } from './authentication/authentication.ts';
import { authorizationFilter } from './authorization/authorization.ts';
import { type Authorizer, authorizersOf } from './authorization/authorizers.ts';
import { anyPort, areAboutPorts, type ChainPorts } from './authorization/chain-ports.ts';
import type { RuleContext } from './authorization/context.ts';
import { customFilters } from './authorization/custom.ts';
import { checkPrincipals } from './authorization/principal-readings.ts';
import { warnOfRules } from './authorization/warnings.ts';
import type { Lowering } from './lowering.ts';

/** What policies put before the terminal filter of one chain, each list in order of execution. */
export interface ChainFilters {
  /** Before the router, on chains that carry HTTP. */
  readonly http: readonly HttpPolicyFilterIR[];
  /** Before the TCP proxy: predicates that only HTTP has fell away, or their rules did. */
  readonly network: readonly NetworkPolicyFilterIR[];
}

/** The same for each chain of one workload, by the ports whose connections reach it. */
export interface PolicyFilters {
  on(ports: ChainPorts): ChainFilters;
}

const noFilters: ChainFilters = { http: [], network: [] };

const noPolicyFilters: PolicyFilters = { on: () => noFilters };

export interface PolicyFilterInput {
  readonly effective: Effective;
  /** What the workload sees as a client: authorizers are asked through its outbound clusters. */
  readonly scope: ClientScope;
  /** That carry no HTTP: of a gateway's servers, or of a sidecar's workload. */
  readonly bytePorts: readonly number[];
}

/**
 * Tokens first, then external authorizers, then AUDIT, which thus sees what is denied after it, then DENY, then ALLOW.
 * Workloads with the same policies share the object.
 */
export function policyFilters(
  workload: Workload,
  { effective, scope, bytePorts }: PolicyFilterInput,
  lowering: Lowering,
  bag: DiagnosticBag,
): PolicyFilters {
  const tokenPolicies = effective.requestAuthentications(workload);
  const tokens = authenticationFilters(tokenPolicies, lowering, bag);
  const policies = effective.authorizationPolicies(workload);
  if (tokens === undefined && policies.length === 0) return noPolicyFilters;
  const services = () => effective.outbound(scope).map(({ service }) => service);
  const client = { namespace: scope.namespace, services };
  const authorizers = authorizersOf(policies, client, lowering.settings, bag);
  checkPrincipals(policies, tokenPolicies, lowering.memo, bag);
  warnOfRules(policies, { workload, bytePorts }, authorizers, lowering, bag);
  const before = tokens ?? [];
  const isGateway = workload.role === 'router';
  const label = `policy filters ${isGateway} ${authorizers.map(({ name, cluster }) => `${name} ${cluster}`).join()}`;
  return lowering.memo.of([policies, ...before], label, bag, () => {
    return filtersByPorts(policies, (ports) => ({
      http: [...before, ...accessFilters(policies, authorizers, { carries: 'http', ports, isGateway }, lowering)],
      network: accessFilters(policies, authorizers, { carries: 'tcp', ports, isGateway }, lowering),
    }));
  });
}

/** Chains share the object where no rule is about ports. */
function filtersByPorts(
  policies: readonly AuthorizationPolicy[],
  make: (ports: ChainPorts) => ChainFilters,
): PolicyFilters {
  const known = new Map<string, ChainFilters>();
  const isAboutPorts = areAboutPorts(policies);
  return {
    on(asked) {
      const ports = isAboutPorts ? asked : anyPort;
      const key = JSON.stringify(ports);
      const filters = known.get(key) ?? make(ports);
      known.set(key, filters);
      return filters;
    },
  };
}

function accessFilters(
  policies: readonly AuthorizationPolicy[],
  authorizers: readonly Authorizer[],
  chain: Pick<RuleContext, 'carries' | 'ports' | 'isGateway'>,
  { settings }: Lowering,
): readonly NetworkPolicyFilterIR[] {
  const context = { ...chain, trustDomains: [settings.trustDomain, ...settings.trustDomainAliases] };
  const actions = ['AUDIT', 'DENY', 'ALLOW'] as const;
  return [
    ...customFilters(policies, authorizers, context),
    ...actions.flatMap((action) => authorizationFilter(policies, action, context) ?? []),
  ];
}
