import type { StandardGateway } from '../policy/gateway-api.ts';
import { GatewayIndex } from './merge/gateway-index.ts';
import type { Snapshot } from './snapshot.ts';
import type { Workload } from './topology/model.ts';

/** The proxies that serve a Gateway of the Gateway API. */
export function gatewayProxies(
  gateway: StandardGateway,
  { standard, topology, settings }: Pick<Snapshot, 'standard' | 'topology' | 'settings'>,
): readonly Workload[] {
  const listener = standard.listeners.find((it) => it.gateway === gateway);
  if (listener === undefined) return [];
  const index = new GatewayIndex([listener.made.object], settings);
  return topology.workloads.filter((workload) => workload.role === 'router' && index.of(workload).length > 0);
}
