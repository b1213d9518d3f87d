import type { ClusterIR } from '../../ir/cluster.ts';
import type { Lowering } from '../lowering.ts';
import { clusterNames, statName } from '../names.ts';
import { noOrigins } from '../origins.ts';
import { pooledFields, upstreamHttp } from './connection-pool.ts';

type MachineLowering = Pick<Lowering, 'settings' | 'host'>;

/** Goes where the application wanted to go. */
export function passthroughCluster(lowering: MachineLowering): ClusterIR {
  return {
    ...blackHoleCluster(lowering),
    name: clusterNames.passthrough,
    altStatName: clusterNames.passthrough,
    type: 'original-dst',
    loadBalancing: { policy: 'cluster-provided' },
    endpoints: undefined,
    http: upstreamHttp('downstream', undefined, lowering.settings),
  };
}

/** Has no host: what is sent to it is refused. */
export function blackHoleCluster(lowering: MachineLowering): ClusterIR {
  const name = clusterNames.blackHole;
  return {
    name,
    altStatName: statName(name),
    type: 'static',
    loadBalancing: { policy: 'round-robin' },
    endpoints: { clusterName: name, localities: [] },
    transport: { kind: 'plaintext', origins: noOrigins },
    http: upstreamHttp('none', undefined, lowering.settings),
    ...pooledFields(undefined, lowering),
    outlierDetection: undefined,
    healthyPanicPercent: undefined,
    localityWeighted: false,
    dns: undefined,
    bindAddresses: [],
    origins: noOrigins,
  };
}
