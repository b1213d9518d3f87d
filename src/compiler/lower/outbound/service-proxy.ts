import type { Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { NetworkFilterIR, TcpProxyIR } from '../../ir/listener.ts';
import { durationMs } from '../clusters/connection-pool.ts';
import { hashPolicies } from '../clusters/load-balancing.ts';
import { redisProxy, tcpProxy, thriftProxy } from '../filters.ts';
import { clusterNames, outboundCluster, statName } from '../names.ts';
import { blockOrigins, joinOrigins, noOrigins, servicePortOrigins, servicePortSpan } from '../origins.ts';
import { type ProtocolProxy, protocolProxy } from '../protocol-proxy.ts';
import type { Placement } from './placement.ts';
import { reportFieldsOfTcp } from './tcp-fields.ts';

/** The clusters of the same client, by name. */
export type Clusters = ReadonlyMap<string, Pick<ClusterIR, 'type' | 'loadBalancing'>>;

/** Which filter the bytes of a placement end in, and why not the Redis proxy where a variable asks for that. */
export interface ProxyChoice {
  readonly kind: ProtocolProxy | 'tcp';
  readonly why?: string;
}

/** What the bytes of a service port end in: the proxy of its protocol where a variable asks for it, else the TCP proxy. */
export function serviceProxy(
  placement: Placement,
  clusters: Clusters,
  settings: Settings,
  bag: DiagnosticBag,
): NetworkFilterIR {
  const tcp = serviceTcpProxy(placement, settings);
  const { kind, why } = proxyChoice(placement, clusters, settings);
  if (why !== undefined) report(placement, why, bag);
  if (kind === 'tcp') return tcp;
  reportFieldsOfTcp(placement, kind, bag);
  return kind === 'redis' ? redisProxy(tcp, settings) : thriftProxy(tcp, settings);
}

/** All that a terminal filter depends on beside its placement is in the answer. */
export function proxyChoice(placement: Placement, clusters: Clusters, settings: Settings): ProxyChoice {
  const kind = protocolProxy(placement.port.protocol, 'sidecar', settings) ?? 'tcp';
  return kind === 'redis' ? redisOrTcp(placement, clusters) : { kind };
}

/** Where an endpoint is not chosen by key, a key would be written to one and read from another. */
function redisOrTcp(placement: Placement, clusters: Clusters): ProxyChoice {
  if (placement.target?.weightedClusters !== undefined) {
    return { kind: 'tcp', why: 'the Redis proxy cannot distribute commands by weight' };
  }
  const name = clusterOf(placement);
  // That nobody is behind a destination was said where it was looked up.
  if (name === clusterNames.blackHole) return { kind: 'tcp' };
  const cluster = clusters.get(name);
  const policy = cluster?.loadBalancing.policy;
  if (policy === 'maglev' || policy === 'ring-hash') return { kind: 'redis' };
  if (cluster?.type === 'original-dst') return { kind: 'tcp', why: 'the application chooses the endpoint itself' };
  return { kind: 'tcp', why: `the cluster ${name} does not choose endpoints by a key` };
}

function report({ outbound: { service }, port, target }: Placement, why: string, bag: DiagnosticBag): void {
  const route = target?.origins.decidedBy[0];
  const span = route === undefined ? servicePortSpan(service, port.number) : route.at.spanOf(route.field);
  bag.report('redis-proxy-left-out', span, { port: String(port.number), host: service.host, why });
}

function clusterOf({ outbound, port, target }: Placement): string {
  return target?.cluster ?? outboundCluster(outbound.service.host, port.number);
}

function serviceTcpProxy(placement: Placement, settings: Settings): TcpProxyIR {
  const { outbound, port, target } = placement;
  const cluster = clusterOf(placement);
  const traffic = outbound.subsets[0]?.traffic.get(port.number);
  const pool = traffic?.blocks.connectionPool?.tcp;
  const hashes = hashPolicies(traffic?.blocks.loadBalancer?.consistentHash);
  const rule = traffic === undefined ? noOrigins : blockOrigins(traffic, 'connectionPool', 'loadBalancer');
  const here = servicePortOrigins(outbound.service, port.number);
  return tcpProxy(
    {
      statPrefix: statName(cluster),
      cluster,
      ...(target?.weightedClusters === undefined ? {} : { weightedClusters: target.weightedClusters }),
      idleTimeoutMs: durationMs(pool?.idleTimeout),
      maxConnectionDurationMs: durationMs(pool?.maxConnectionDuration),
      hashSourceIp: target?.hashSourceIp ?? hashes.some(({ kind }) => kind === 'source-ip'),
      origins: joinOrigins(target?.origins ?? noOrigins, joinOrigins(rule, here)),
    },
    settings,
  );
}
