import { compareStrings, sortedBy } from '../../../lib/sort.ts';
import type { EndpointIR, EndpointsIR, LocalityEndpointsIR } from '../../ir/cluster.ts';
import type { Endpoint, IpFamily, Service } from '../../topology/model.ts';

/** The endpoints of one service port that carry a subset's labels and that a proxy of these families can reach. */
export function selectEndpoints(
  service: Service,
  port: number,
  labels: Readonly<Record<string, string>>,
  families: readonly IpFamily[],
): readonly Endpoint[] {
  const wanted = Object.entries(labels);
  return service.endpoints.filter(
    (endpoint) =>
      endpoint.servicePort === port &&
      wanted.every(([key, value]) => endpoint.labels[key] === value) &&
      isReachable(endpoint.address, families),
  );
}

/** Endpoints by locality, sorted. With `isWeighted` every locality weighs what its endpoints do, else it gets no traffic. */
export function endpointsIr(clusterName: string, endpoints: readonly Endpoint[], isWeighted: boolean): EndpointsIR {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const locality = endpoint.locality ?? '';
    const group = groups.get(locality);
    if (group === undefined) groups.set(locality, [endpoint]);
    else group.push(endpoint);
  }
  const localities = [...groups].sort(([a], [b]) => compareStrings(a, b));
  return {
    clusterName,
    localities: localities.map(([locality, members]) => localityIr(locality, members, isWeighted)),
  };
}

/** Whether a proxy of these families has a way to an IP address or CIDR block; to sockets and host names every proxy has. */
export function isReachable(address: string, families: readonly IpFamily[]): boolean {
  if (address.startsWith('unix://')) return true;
  if (address.includes(':')) return families.includes('ipv6');
  return families.includes('ipv4') || !/^[\d./]+$/.test(address);
}

function localityIr(locality: string, endpoints: readonly Endpoint[], isWeighted: boolean): LocalityEndpointsIR {
  const [region = '', zone = '', ...rest] = locality.split('/');
  const weight = endpoints.reduce((sum, endpoint) => sum + (endpoint.weight || 1), 0);
  return {
    region,
    zone,
    subZone: rest.join('/'),
    priority: 0,
    weight: isWeighted ? weight : undefined,
    endpoints: sortedBy(
      endpoints.map(endpointIr),
      ({ address }) => address,
      ({ port }) => port,
    ),
  };
}

function endpointIr({ address, port, hasSidecar, weight, workload }: Endpoint): EndpointIR {
  const isSocket = address.startsWith('unix://');
  return {
    address: isSocket ? address.slice('unix://'.length) : address,
    port: isSocket ? 0 : port,
    hasSidecar,
    // Envoy refuses a weight of 0.
    weight: weight || undefined,
    workload,
  };
}
