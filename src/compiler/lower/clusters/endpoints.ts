import { sortedBy } from '../../../lib/sort.ts';
import type { EndpointIR, EndpointsIR, LocalityEndpointsIR } from '../../ir/cluster.ts';
import { parseLocality } from '../../topology/locality.ts';
import type { Endpoint, IpFamily } from '../../topology/model.ts';
import type { LocalityBalancing } from './locality-balancing.ts';
import { type LocalityGroup, localityGroups } from './locality-groups.ts';

/** The endpoints of one service port that carry a subset's labels and that a proxy of these families can reach. */
export function selectEndpoints(
  endpoints: readonly Endpoint[],
  { port, labels, families }: EndpointSelection,
): readonly Endpoint[] {
  const wanted = Object.entries(labels);
  return endpoints.filter(
    (endpoint) =>
      endpoint.servicePort === port &&
      wanted.every(([key, value]) => endpoint.labels[key] === value) &&
      isReachable(endpoint.address, families),
  );
}

/** Which endpoints of a service a cluster has. */
export interface EndpointSelection {
  readonly port: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly families: readonly IpFamily[];
}

/** Endpoints as the client of `balancing` tells them apart. */
export function endpointsIr(
  clusterName: string,
  endpoints: readonly Endpoint[],
  balancing: LocalityBalancing,
): EndpointsIR {
  return { clusterName, localities: localityGroups(endpoints, balancing).map(localityIr) };
}

/** Whether a proxy of these families has a way to an IP address or CIDR block; to sockets and host names every proxy has. */
export function isReachable(address: string, families: readonly IpFamily[]): boolean {
  if (address.startsWith('unix://')) return true;
  if (address.includes(':')) return families.includes('ipv6');
  return families.includes('ipv4') || !/^[\d./]+$/.test(address);
}

function localityIr({ locality, members, priority, weight }: LocalityGroup): LocalityEndpointsIR {
  return {
    ...parseLocality(locality),
    priority,
    weight,
    endpoints: sortedBy(
      members.map(endpointIr),
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
