import type { Settings } from '../../../config/settings.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import { clusterNames, statName } from '../names.ts';
import { noOrigins } from '../origins.ts';
import { pooledFields, upstreamHttp } from './connection-pool.ts';

/** Goes where the application wanted to go. */
export function passthroughCluster(settings: Settings): ClusterIR {
  return {
    ...blackHoleCluster(settings),
    name: clusterNames.passthrough,
    altStatName: clusterNames.passthrough,
    type: 'original-dst',
    loadBalancing: { policy: 'cluster-provided' },
    endpoints: undefined,
    http: upstreamHttp('downstream', undefined, settings),
  };
}

/** Has no host: what is sent to it is refused. */
export function blackHoleCluster(settings: Settings): ClusterIR {
  const name = clusterNames.blackHole;
  return {
    name,
    altStatName: statName(name),
    type: 'static',
    loadBalancing: { policy: 'round-robin' },
    endpoints: { clusterName: name, localities: [] },
    transport: { kind: 'plaintext', origins: noOrigins },
    http: upstreamHttp('none', undefined, settings),
    ...pooledFields(undefined, settings),
    outlierDetection: undefined,
    healthyPanicPercent: undefined,
    localityWeighted: false,
    dns: undefined,
    bindAddresses: [],
    origins: noOrigins,
  };
}
