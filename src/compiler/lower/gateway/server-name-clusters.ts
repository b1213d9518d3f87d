import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { ListenerIR } from '../../ir/listener.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import { choiceOf, choosing } from '../clusters/assignments.ts';
import { serviceClusters } from '../clusters/service-clusters.ts';
import type { Lowering } from '../lowering.ts';
import { meshSni, outboundCluster, statName } from '../names.ts';
import { noOrigins } from '../origins.ts';

/**
 * Clusters by the names that mesh clients ask for, for servers that pass TLS on by them: the client's own TLS goes
 * through, so that none is added. Empty when no server does.
 */
export function serverNameClusters(
  listeners: readonly ListenerIR[],
  services: readonly EffectiveOutbound[],
  scope: ClientScope,
  lowering: Lowering,
  bag: DiagnosticBag,
): readonly ClusterIR[] {
  const isWanted = listeners.some(({ filterChains }) =>
    filterChains.some(({ filter }) => filter.kind === 'tcp' && filter.clusterOfServerName === true),
  );
  if (!isWanted) return [];
  const clusters = new Map<string, ClusterIR>();
  for (const outbound of services.filter(({ service }) => !service.isExternal)) {
    const { service, subsets } = outbound;
    const known = serviceClusters(outbound, scope, lowering, bag).flatMap((subset) => subset.clusters);
    for (const subset of subsets) {
      for (const { number } of service.ports) {
        const original = known.find(({ name }) => name === outboundCluster(service.host, number, subset.name));
        const name = meshSni(service.host, number, subset.name);
        if (original !== undefined && !clusters.has(name)) clusters.set(name, passedOn(original, name));
      }
    }
  }
  return [...clusters.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function passedOn(original: ClusterIR, name: string): ClusterIR {
  const cluster: ClusterIR = {
    ...original,
    name,
    altStatName: statName(name),
    endpoints: original.endpoints && { ...original.endpoints, clusterName: name },
    transport: { kind: 'plaintext', origins: noOrigins },
    http: { ...original.http, protocol: 'none' },
  };
  return choosing(cluster, choiceOf(original));
}
