import { deliverySource } from '../../../lib/proxy-addresses.ts';
import type { ClusterIR, UpstreamHttpIR } from '../../ir/cluster.ts';
import type { EffectiveTraffic } from '../../merge/effective.ts';
import type { IpFamily, ServiceTarget } from '../../topology/model.ts';
import { isHttp2, protocolClass } from '../../topology/protocol.ts';
import type { Lowering } from '../lowering.ts';
import { clusterNames, inboundCluster, statName } from '../names.ts';
import { blockOrigins, joinOrigins, servicePortOrigins } from '../origins.ts';
import { pooledFields, upstreamHttp } from './connection-pool.ts';
import { passthroughCluster } from './plain-clusters.ts';

/** How a proxy hands inbound connections to its application. */
export interface Delivery {
  readonly families: readonly IpFamily[];
  readonly isTproxy: boolean;
}

/** Delivers one container port. Only the connection pool of a rule counts on the server's side. */
export function inboundPortCluster(
  target: ServiceTarget,
  traffic: EffectiveTraffic | undefined,
  delivery: Delivery,
  lowering: Lowering,
): ClusterIR {
  const { settings } = lowering;
  const name = inboundCluster(target.targetPort);
  const service = servicePortOrigins(target.service, target.port.number);
  const base: ClusterIR = {
    ...inboundPassthroughCluster(delivery, lowering),
    ...pooledFields(traffic?.blocks.connectionPool, lowering),
    name,
    altStatName: statName(name),
    http: upstreamHttp(appProtocol(target, lowering), traffic?.blocks.connectionPool, settings),
    origins: traffic === undefined ? service : joinOrigins(blockOrigins(traffic, 'connectionPool'), service),
  };
  return isLoopback(delivery, lowering) ? toLoopback(base, target.targetPort, delivery) : base;
}

/** Delivers ports that no service declares, to the address that the client dialled. */
export function inboundPassthroughCluster(delivery: Delivery, lowering: Lowering): ClusterIR {
  const { settings } = lowering;
  return {
    ...passthroughCluster(lowering),
    name: clusterNames.inboundPassthrough,
    altStatName: clusterNames.inboundPassthrough,
    http: upstreamHttp(settings.sniffInbound ? 'downstream' : 'none', undefined, settings),
    // The redirection leaves connections from these alone; without them the proxy would call itself.
    bindAddresses: delivery.isTproxy ? [] : ownAddresses(delivery.families),
  };
}

function ownAddresses(families: readonly IpFamily[]): readonly string[] {
  return [...families].sort().map((family) => (family === 'ipv4' ? deliverySource.IPv4 : deliverySource.IPv6));
}

/** Under TPROXY the connection keeps the client's address, which the kernel does not route to loopback. */
function isLoopback(delivery: Delivery, { settings }: Lowering): boolean {
  return settings.inboundDelivery === 'LOCALHOST' && !delivery.isTproxy;
}

function toLoopback(cluster: ClusterIR, port: number, { families }: Delivery): ClusterIR {
  const address = families[0] === 'ipv6' ? '::1' : '127.0.0.1';
  const endpoint = { address, port, hasSidecar: false, weight: undefined, workload: undefined };
  const locality = { region: '', zone: '', subZone: '', priority: 0, weight: undefined, endpoints: [endpoint] };
  return {
    ...cluster,
    type: 'static',
    loadBalancing: { policy: 'round-robin' },
    endpoints: { clusterName: cluster.name, localities: [locality] },
    bindAddresses: [],
  };
}

function appProtocol({ port }: ServiceTarget, { settings }: Lowering): UpstreamHttpIR['protocol'] {
  switch (protocolClass(port.protocol, settings.sniffInbound)) {
    case 'http':
      return isHttp2(port.protocol) ? 'http2' : 'http1';
    case 'auto':
      return 'downstream';
    default:
      return 'none';
  }
}
