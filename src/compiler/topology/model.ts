import type { MeshObject } from '../../policy/object.ts';
import type { Secret } from '../../policy/topology-kinds.ts';
import type { Protocol } from './protocol.ts';

/** SPIFFE form of an identity: `spiffe://<trust domain>/ns/<namespace>/sa/<service account>`. */
export type SpiffeId = string;

export type WorkloadRole = 'sidecar' | 'router' | 'none';
export type IpFamily = 'ipv4' | 'ipv6';

/** A Pod, a WorkloadEntry, or a controller that stands for its pods. */
export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
  readonly identity: SpiffeId;
  readonly role: WorkloadRole;
  /** Canonical text forms; empty when the inputs do not say (a Deployment without pods). */
  readonly addresses: readonly string[];
  /** Families to listen on: of the addresses; of the services that select it when it has none; else IPv4. */
  readonly families: readonly IpFamily[];
  readonly isReady: boolean;
  /** Named container ports, for `targetPort` by name. */
  readonly namedPorts: Readonly<Record<string, number>>;
  readonly interceptionMode: 'REDIRECT' | 'TPROXY' | undefined;
  readonly locality: string | undefined;
  readonly object: MeshObject<string>;
  /** Service ports that are delivered to this workload, oldest service first. */
  readonly targets: readonly ServiceTarget[];
}

/** A service port as one workload serves it. */
export interface ServiceTarget {
  readonly service: Service;
  readonly port: ServicePort;
  /** Container port. */
  readonly targetPort: number;
}

export interface ServicePort {
  readonly number: number;
  readonly name: string;
  readonly protocol: Protocol;
  /** Where it is written when that is not the service's own object: two ServiceEntries may describe one host. */
  readonly declaredBy?: { readonly object: MeshObject<string>; readonly index: number };
}

/** How a client finds the hosts of a service. */
export type Resolution =
  /** The mesh knows the endpoints. */
  | 'client'
  /** The proxy asks DNS for the endpoints' host names. */
  | 'dns'
  /** The proxy goes where the application wanted to go (headless services, ServiceEntry NONE). */
  | 'passthrough';

export interface Service {
  /** Fully qualified: the key of look-ups, lower case. */
  readonly host: string;
  readonly namespace: string;
  /** Short name for Service objects; the host for ServiceEntry hosts. */
  readonly name: string;
  readonly kind: 'Service' | 'ServiceEntry';
  readonly isExternal: boolean;
  readonly isHeadless: boolean;
  readonly resolution: Resolution;
  /** For `dns`: one address at a time, taken anew for each connection (Envoy's LOGICAL_DNS); else all that DNS answers. */
  readonly dnsRoundRobin: boolean;
  /** Virtual addresses; CIDR blocks are possible for ServiceEntry. */
  readonly addresses: readonly string[];
  /** Addresses of services of other namespaces that a ServiceEntry claims: nothing is led to it by them. Absent: none. */
  readonly lostAddresses?: readonly string[];
  readonly ports: readonly ServicePort[];
  readonly exportTo: readonly string[];
  readonly createdAt: number;
  /** Identities declared on the service itself (ServiceEntry `subjectAltNames`). */
  readonly subjectAltNames: readonly string[];
  /** Services of type ExternalName that lead to it, sorted by host. */
  readonly aliases: readonly ServiceAlias[];
  /** What clusters and listeners may know of the endpoints; the same object as long as that is the same. */
  readonly facts: EndpointFacts;
  readonly object: MeshObject<string>;
}

/** Another name of a service, which other namespaces may give it. */
export interface ServiceAlias {
  /** Fully qualified, in lower case. */
  readonly host: string;
  readonly name: string;
  readonly namespace: string;
  readonly exportTo: readonly string[];
}

/**
 * What clusters and listeners depend on, of the endpoints of one service. Endpoints of known workloads count before they
 * are ready too, so that readiness changes none of it, and clients know an identity before its first endpoint serves.
 */
export interface EndpointFacts {
  /** Equal facts have equal keys. */
  readonly key: string;
  /** By number of the service port; ports that nothing serves are absent. */
  readonly ports: ReadonlyMap<number, PortFacts>;
  /** For `dns`, whose clusters hold their endpoints themselves: all of them, sorted like the service's list. Else none. */
  readonly named: readonly Endpoint[];
}

/** Of the endpoints of one service port. */
export interface PortFacts {
  /** Sorted. */
  readonly identities: readonly SpiffeId[];
  readonly allHaveSidecar: boolean;
  /** Where clients dial the endpoints' own addresses (`passthrough`): these, sorted. Else none. */
  readonly addresses: readonly string[];
}

export interface Endpoint {
  /** Number of the service port that it serves. */
  readonly servicePort: number;
  /** IP address; a host name for `dns`; a path for Unix sockets (`unix://…`). */
  readonly address: string;
  readonly port: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined for an endpoint without a known workload. */
  readonly identity: SpiffeId | undefined;
  /** Namespace and name of the workload behind it. */
  readonly workload: { readonly namespace: string; readonly name: string } | undefined;
  /** The workload has a sidecar (label tlsMode `mesh`). */
  readonly hasSidecar: boolean;
  readonly weight: number | undefined;
  /** `region/zone/subzone`, possibly shortened. */
  readonly locality: string | undefined;
}

/** Who there is, from topology objects and settings. Everything is sorted; nothing refers to time or order of input. */
export interface Topology {
  /** Every namespace that an object names, with the labels of its Namespace object. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Oldest first (creation time, then `name.namespace`). One entry a host and namespace. */
  readonly services: readonly Service[];
  /**
   * The ready endpoints of each service, of all its ports, sorted by port number, address, endpoint port. The same map as
   * long as none of them changes, and the same list as long as the service's own do not.
   */
  readonly endpoints: ReadonlyMap<Service, readonly Endpoint[]>;
  /** By namespace, then name. */
  readonly workloads: readonly Workload[];
  /** Namespaces that may have workloads and services which the inputs do not show; none where they count as the whole mesh. */
  readonly unseenIn: ReadonlySet<string>;
  readonly counts: TopologyCounts;
  /** Key pairs and authorities for gateways, by namespace, then name. */
  readonly secrets: readonly Secret[];
}

/** What the specification's gauges count (policy-independent part). */
export interface TopologyCounts {
  readonly endpointsWithoutPod: number;
  readonly endpointsNotReady: number;
  readonly podsWithoutIp: number;
}
