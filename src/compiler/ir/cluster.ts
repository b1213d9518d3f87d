import type { Origins } from './origin.ts';
import type { UpstreamTransport } from './tls.ts';

export interface EndpointIR {
  /** IP address, host name (DNS clusters), or absolute path of a Unix socket when `port` is 0. */
  readonly address: string;
  readonly port: number;
  /** Carries `envoy.transport_socket_match: {tlsMode: mesh}`. */
  readonly hasSidecar: boolean;
  readonly weight: number | undefined;
  readonly workload: { readonly namespace: string; readonly name: string } | undefined;
}

export interface LocalityEndpointsIR {
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
  readonly priority: number;
  readonly weight: number | undefined;
  readonly endpoints: readonly EndpointIR[];
}

/** The endpoints of one cluster: its own, or a resource of the same name (`AssignmentsIR`). */
export interface EndpointsIR {
  readonly clusterName: string;
  readonly localities: readonly LocalityEndpointsIR[];
}

export type ClusterType =
  /** Endpoints are a resource apart: over xDS by EDS, in files within the cluster, which Envoy then takes for STATIC. */
  'eds' | 'static' | 'strict-dns' | 'logical-dns' | 'original-dst';

export type LoadBalancing =
  /** A new endpoint gets its full share only after `warmupMs`. */
  | { readonly policy: 'round-robin' | 'least-request'; readonly warmupMs?: number }
  | { readonly policy: 'random' | 'cluster-provided' }
  | { readonly policy: 'ring-hash'; readonly minimumRingSize: number }
  | { readonly policy: 'maglev'; readonly tableSize: number | undefined };

export interface CircuitBreakersIR {
  readonly maxConnections: number;
  readonly maxPendingRequests: number;
  readonly maxRequests: number;
  readonly maxRetries: number;
}

export interface OutlierDetectionIR {
  readonly consecutive5xx: number | undefined;
  readonly consecutiveGatewayFailure: number | undefined;
  readonly consecutiveLocalOriginFailure: number | undefined;
  readonly splitExternalLocalOriginErrors: boolean;
  readonly intervalMs: number | undefined;
  readonly baseEjectionTimeMs: number | undefined;
  readonly maxEjectionPercent: number | undefined;
}

/** Which HTTP version the proxy speaks to the upstream; `none` for clusters that carry no HTTP. */
export interface UpstreamHttpIR {
  readonly protocol: 'none' | 'http1' | 'http2' | 'downstream';
  readonly maxConcurrentStreams: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly maxRequestsPerConnection: number | undefined;
  readonly http10: boolean;
}

export interface KeepaliveIR {
  readonly probes: number | undefined;
  readonly timeSeconds: number | undefined;
  readonly intervalSeconds: number | undefined;
}

export interface ClusterIR {
  readonly name: string;
  /** Name in metrics, without dots (Envoy cuts at the first). */
  readonly altStatName: string;
  readonly type: ClusterType;
  readonly connectTimeoutMs: number;
  readonly loadBalancing: LoadBalancing;
  /** Those of type `eds` are in the proxy's `AssignmentsIR`. */
  readonly endpoints: EndpointsIR | undefined;
  readonly transport: UpstreamTransport;
  readonly http: UpstreamHttpIR;
  readonly circuitBreakers: CircuitBreakersIR | undefined;
  readonly outlierDetection: OutlierDetectionIR | undefined;
  /** Below this share of healthy hosts Envoy uses all of them; 0 never does. */
  readonly healthyPanicPercent: number | undefined;
  readonly localityWeighted: boolean;
  readonly keepalive: KeepaliveIR | undefined;
  readonly dns: { readonly refreshRateMs: number; readonly families: 'v4' | 'v6' | 'all' } | undefined;
  /** Addresses that the proxy's own connections come from (redirection recognises them). */
  readonly bindAddresses: readonly string[];
  readonly maxConnectionDurationMs: number | undefined;
  readonly tcpIdleTimeoutMs: number | undefined;
  readonly origins: Origins;
}
