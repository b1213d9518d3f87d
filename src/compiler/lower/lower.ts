import type { HostFacts } from '../../config/host-facts.ts';
import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { KeySets } from '../../policy/key-sets.ts';
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
  const { effective, settings, keySets, closingSecrets: closing = noClosingSecrets } = input;
  const lowering = { settings, memo: cache.memoOf(settings), keySets, host: input.host };
  const scope = input.scopeOf(workload);
  const services = effective.outbound(scope);
  const virtualServices = effective.virtualServices(scope);
  const shared = lowerOutbound({ scope, services, virtualServices }, lowering, bag);
  const inbound =
    scope.role === 'router'
      ? lowerGateway(
          workload,
          { effective, scope, secrets: secretsOf(input.topology, workload), closing },
          lowering,
          bag,
        )
      : lowerInbound(workload, scope, effective, lowering, bag);
  if (scope.role !== 'router') warnOfTopologyAtSidecar(workload, settings, bag);
  const outbound =
    scope.role === 'router' && settings.filterGatewayClusters
      ? lowering.memo.of([shared, inbound], 'named clusters', bag, () => onlyNamedClusters(shared, inbound))
      : shared;
  const configs = effective.proxyConfigs(workload);
  const assigned = {
    inbound: assignments(inbound.clusters, input.topology.endpoints),
    outbound: assignments(outbound.clusters, input.topology.endpoints),
  };
  const parts = [inbound, outbound, workload, configs, assigned.inbound, assigned.outbound] as const;
  return lowering.memo.of(parts, 'proxy', bag, (own) => ({
    namespace: workload.namespace,
    workload: workload.name,
    addresses: workload.addresses,
    bootstrap: lowering.memo.of([workload, configs], 'bootstrap', own, () =>
      lowerBootstrap(workload, settings, input.host, configs),
    ),
    inbound,
    outbound,
    assignments: assigned,
  }));
}

/** A gateway reads the Secrets of its own namespace only. */
function secretsOf({ secrets }: Topology, { namespace }: Workload): readonly Secret[] {
  return secrets.filter((secret) => secret.namespace === namespace);
}
