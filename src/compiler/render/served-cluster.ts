import type { ClusterIR } from '../ir/cluster.ts';

/** Of no workload: a name that can be in no certificate of a mesh. */
const nobody = { kind: 'exact', value: 'spiffe://nobody.invalid/' } as const;

/**
 * The cluster as a control plane serves it. Where nobody is known who may serve, no endpoint is either, and the list of
 * names is empty, which would accept everybody: endpoints may come before the cluster that names them is in force.
 */
export function servedCluster(cluster: ClusterIR): ClusterIR {
  const { type, transport } = cluster;
  if (type !== 'eds' || transport.kind !== 'automatic' || transport.tls.serverSans.length > 0) return cluster;
  return { ...cluster, transport: { ...transport, tls: { ...transport.tls, serverSans: [nobody] } } };
}
