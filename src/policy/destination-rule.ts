import type { MeshObject, WorkloadSelector } from './object.ts';

export type ClientTlsMode = 'DISABLE' | 'SIMPLE' | 'MUTUAL' | 'MESH_MUTUAL';

export interface ClientTlsSettings {
  readonly mode?: ClientTlsMode;
  readonly clientCertificate?: string;
  readonly privateKey?: string;
  readonly caCertificates?: string;
  readonly caCrl?: string;
  readonly credentialName?: string;
  readonly subjectAltNames?: readonly string[];
  readonly sni?: string;
  readonly insecureSkipVerify?: boolean;
}

export interface TcpKeepalive {
  readonly probes?: number;
  readonly time?: string;
  readonly interval?: string;
}

export interface ConnectionPoolSettings {
  readonly tcp?: {
    readonly maxConnections?: number;
    readonly connectTimeout?: string;
    readonly tcpKeepalive?: TcpKeepalive;
    readonly maxConnectionDuration?: string;
    readonly idleTimeout?: string;
  };
  readonly http?: {
    readonly http1MaxPendingRequests?: number;
    readonly http2MaxRequests?: number;
    readonly maxRequestsPerConnection?: number;
    readonly maxRetries?: number;
    readonly idleTimeout?: string;
    readonly h2UpgradePolicy?: 'DEFAULT' | 'DO_NOT_UPGRADE' | 'UPGRADE';
    readonly useClientProtocol?: boolean;
    readonly maxConcurrentStreams?: number;
  };
}

export interface ConsistentHash {
  readonly httpHeaderName?: string;
  readonly httpCookie?: { readonly name: string; readonly path?: string; readonly ttl?: string };
  readonly useSourceIp?: boolean;
  readonly httpQueryParameterName?: string;
  readonly minimumRingSize?: number;
  readonly ringHash?: { readonly minimumRingSize?: number };
  readonly maglev?: { readonly tableSize?: number };
}

export interface LocalityLoadBalancing {
  readonly enabled?: boolean;
  readonly distribute?: readonly { readonly from: string; readonly to: Readonly<Record<string, number>> }[];
  readonly failover?: readonly { readonly from: string; readonly to: string }[];
  readonly failoverPriority?: readonly string[];
}

export interface LoadBalancerSettings {
  readonly simple?: 'UNSPECIFIED' | 'ROUND_ROBIN' | 'LEAST_CONN' | 'LEAST_REQUEST' | 'RANDOM' | 'PASSTHROUGH';
  readonly consistentHash?: ConsistentHash;
  readonly localityLbSetting?: LocalityLoadBalancing;
  readonly warmupDurationSecs?: string;
}

export interface OutlierDetection {
  readonly consecutiveErrors?: number;
  readonly consecutive5xxErrors?: number;
  readonly consecutiveGatewayErrors?: number;
  readonly consecutiveLocalOriginFailures?: number;
  readonly splitExternalLocalOriginErrors?: boolean;
  readonly interval?: string;
  readonly baseEjectionTime?: string;
  readonly maxEjectionPercent?: number;
  readonly minHealthPercent?: number;
}

/** The four blocks that a level of a rule may set. */
export interface TrafficBlocks {
  readonly connectionPool?: ConnectionPoolSettings;
  readonly loadBalancer?: LoadBalancerSettings;
  readonly outlierDetection?: OutlierDetection;
  readonly tls?: ClientTlsSettings;
}

export interface PortTrafficPolicy extends TrafficBlocks {
  /** The service's port, not the container's. */
  readonly port: { readonly number: number };
}

export interface TrafficPolicy extends TrafficBlocks {
  readonly portLevelSettings?: readonly PortTrafficPolicy[];
}

export interface Subset {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly trafficPolicy?: TrafficPolicy;
}

/** What a client does towards a host (specification, DestinationRule). */
export interface DestinationRule extends MeshObject<'DestinationRule'> {
  readonly spec: {
    readonly host: string;
    readonly trafficPolicy?: TrafficPolicy;
    readonly subsets?: readonly Subset[];
    readonly exportTo?: readonly string[];
    readonly workloadSelector?: WorkloadSelector;
  };
}
