import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import type { Lowering } from '../lowering.ts';
import { blackHoleCluster, passthroughCluster } from './plain-clusters.ts';
import { type ServiceClusters, serviceClusters } from './service-clusters.ts';

/** The clusters of all services by name, with the two that belong to none. The oldest service keeps a name. */
export function outboundClusters(
  scope: ClientScope,
  services: readonly EffectiveOutbound[],
  lowering: Lowering,
  bag: DiagnosticBag,
): ServiceClusters {
  const { settings, memo } = lowering;
  const fixed = memo.of([settings], 'fixed clusters', bag, () => [
    blackHoleCluster(lowering),
    passthroughCluster(lowering),
  ]);
  const byName = new Map<string, ClusterIR>(fixed.map((cluster) => [cluster.name, cluster]));
  const conflicts: ServiceClusters['conflicts'][number][] = [];
  for (const outbound of services) {
    for (const subset of serviceClusters(outbound, scope, lowering, bag)) {
      conflicts.push(...subset.conflicts);
      for (const cluster of subset.clusters) {
        if (byName.has(cluster.name)) conflicts.push({ metric: 'pilot_duplicate_envoy_clusters', key: cluster.name });
        else byName.set(cluster.name, cluster);
      }
    }
  }
  return { clusters: sortedBy(byName.values(), ({ name }) => name), conflicts };
}
