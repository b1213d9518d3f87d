import { deliverySource } from '../../../lib/proxy-addresses.ts';
import type { ClusterIR, UpstreamHttpIR } from '../../ir/cluster.ts';
import type { IpFamily } from '../../topology/model.ts';
import { isHttp2, protocolClass } from '../../topology/protocol.ts';
import type { InboundPort } from '../inbound/ports.ts';
import type { Lowering } from '../lowering.ts';
import { clusterNames, inboundCluster, statName } from '../names.ts';
import { blockOrigins, joinOrigins } from '../origins.ts';
import { pooledFields, upstreamHttp } from './connection-pool.ts';
import { passthroughCluster } from './plain-clusters.ts';

/** How a proxy hands inbound connections to its application. */
export interface Delivery {
  readonly families: readonly IpFamily[];
  readonly isTproxy: boolean;
}

/** Delivers one container port. Only the connection pool of a rule counts on the server's side. */
export function inboundPortCluster(port: InboundPort, delivery: Delivery, lowering: Lowering): ClusterIR {
  const { number, endpoint, traffic, origins } = port;
  const { settings } = lowering;
  const name = inboundCluster(number);
  const base: ClusterIR = {
    ...inboundPassthroughCluster(delivery, lowering),
    ...pooledFields(traffic?.blocks.connectionPool, lowering),
    name,
    altStatName: statName(name),
    http: upstreamHttp(appProtocol(port, lowering), traffic?.blocks.connectionPool, settings),
    origins: traffic === undefined ? origins : joinOrigins(blockOrigins(traffic, 'connectionPool'), origins),
  };
  if (endpoint !== undefined) return toLoopback(base, endpoint);
  const address = delivery.families[0] === 'ipv6' ? '::1' : '127.0.0.1';
  return isLoopback(delivery, lowering) ? toLoopback(base, { address, port: number }) : base;
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

function toLoopback(cluster: ClusterIR, { address, port }: NonNullable<InboundPort['endpoint']>): ClusterIR {
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

function appProtocol({ protocol }: InboundPort, { settings }: Lowering): UpstreamHttpIR['protocol'] {
  switch (protocolClass(protocol, settings.sniffInbound)) {
    case 'http':
      return isHttp2(protocol) ? 'http2' : 'http1';
    case 'auto':
      return 'downstream';
    default:
      return 'none';
  }
}
