import type { HostFacts } from '../../config/host-facts.ts';
import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { type KeySets, noKeySets } from '../../policy/key-sets.ts';
import type { Secret } from '../../policy/topology-kinds.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import type { ClientScope, Effective } from '../merge/effective.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { lowerBootstrap } from './bootstrap.ts';
import { assignments } from './clusters/assignments.ts';
import { onlyNamedClusters } from './gateway/filter-clusters.ts';
import { lowerGateway } from './gateway/gateway.ts';
import { type ClosingSecrets, noClosingSecrets } from './gateway/secrets.ts';
import { warnOfTopologyAtSidecar } from './gateway/topology.ts';
import { lowerInbound } from './inbound/inbound.ts';
import { Memo } from './memo.ts';
import { lowerOutbound } from './outbound/outbound.ts';

export interface LowerInput {
  readonly topology: Topology;
  readonly effective: Effective;
  readonly settings: Settings;
  readonly scopeOf: (workload: Workload) => ClientScope;
  /** Absent: none is at hand. */
  readonly keySets?: KeySets | undefined;
  /** Of the machine that the proxy starts on; the same object as long as the cache lives. */
  readonly host?: HostFacts | undefined;
  /** Absent: every Secret has to be able to serve. */
  readonly closingSecrets?: ClosingSecrets | undefined;
}

/** Results of earlier calls, by the identity of what they were made from. */
export interface LowerCache {
  memoOf(settings: Settings): Memo;
}

/** An empty cache. Whoever compiles again keeps it; other settings start afresh. */
export function createLowerCache(): LowerCache {
  const memos = new WeakMap<Settings, Memo>();
  return {
    memoOf(settings) {
      let memo = memos.get(settings);
      if (memo === undefined) {
        memo = new Memo();
        memos.set(settings, memo);
      }
      return memo;
    },
  };
}

/**
 * One proxy's policies as listeners, routes and clusters. Proxies of equal client scopes share one outbound object; an
 * unchanged input gives the identical object again, with the faults it had.
 */
export function lower(workload: Workload, input: LowerInput, bag: DiagnosticBag, cache: LowerCache): ProxyIR {
  const { settings, topology } = input;
  const memo = cache.memoOf(settings);
  const scope = input.scopeOf(workload);
  const parts = memo.of(inputsOf(workload, scope, input), 'parts', bag, (own) =>
    partsOf(workload, scope, input, memo, own),
  );
  const assigned = {
    inbound: assignments(parts.inbound.clusters, topology.endpoints),
    outbound: assignments(parts.outbound.clusters, topology.endpoints),
  };
  return memo.of([parts, assigned.inbound, assigned.outbound], 'proxy', bag, () => ({
    namespace: workload.namespace,
    workload: workload.name,
    addresses: workload.addresses,
    ...parts,
    assignments: assigned,
  }));
}

/** All that the parts of a proxy are made of. */
function inputsOf(
  workload: Workload,
  scope: ClientScope,
  { topology, effective, keySets, closingSecrets: closing = noClosingSecrets }: LowerInput,
): readonly [object, ...object[]] {
  const policies = effective.inboundPolicies(workload);
  const outbound = [scope, effective.outbound(scope), effective.virtualServices(scope)];
  const isSidecar = scope.role !== 'router';
  if (isSidecar && keySets === undefined) return [workload, policies, ...outbound];
  // Keys may come and go without an object that changes.
  const keys = effective
    .requestAuthentications(workload)
    .flatMap(({ spec }) => (spec.jwtRules ?? []).map((rule) => (keySets ?? noKeySets).find(rule)));
  if (isSidecar) return [workload, policies, ...outbound, ...keys];
  return [
    workload,
    policies,
    ...outbound,
    effective.gateways(workload),
    closing,
    ...secretsOf(topology, workload),
    ...keys,
  ];
}

type Parts = Pick<ProxyIR, 'bootstrap' | 'inbound' | 'outbound'>;

function partsOf(workload: Workload, scope: ClientScope, input: LowerInput, memo: Memo, bag: DiagnosticBag): Parts {
  const { effective, settings, keySets, host, topology, closingSecrets: closing = noClosingSecrets } = input;
  const lowering = { settings, memo, keySets, host };
  const services = effective.outbound(scope);
  const virtualServices = effective.virtualServices(scope);
  const shared = lowerOutbound({ scope, services, virtualServices }, lowering, bag);
  const isRouter = scope.role === 'router';
  const inbound = isRouter
    ? lowerGateway(workload, { effective, scope, secrets: secretsOf(topology, workload), closing }, lowering, bag)
    : lowerInbound(workload, scope, effective, lowering, bag);
  if (!isRouter) warnOfTopologyAtSidecar(workload, settings, bag);
  const outbound =
    isRouter && settings.filterGatewayClusters
      ? memo.of([shared, inbound], 'named clusters', bag, () => onlyNamedClusters(shared, inbound))
      : shared;
  const configs = effective.proxyConfigs(workload);
  const bootstrap = memo.of([workload, configs], 'bootstrap', bag, () =>
    lowerBootstrap(workload, settings, host, configs),
  );
  return memo.of([inbound, outbound, bootstrap], 'parts', bag, () => ({ bootstrap, inbound, outbound }));
}

/** A gateway reads the Secrets of its own namespace only. */
function secretsOf({ secrets }: Topology, { namespace }: Workload): readonly Secret[] {
  return secrets.filter((secret) => secret.namespace === namespace);
}
