import type { Origins } from './origin.ts';
import type { HttpPolicyFilterIR, NetworkPolicyFilterIR } from './policy-filter.ts';
import type { TracerIR } from './reports.ts';
import type { RouteFilterIR } from './route-features.ts';
import type { DownstreamGatewayTls, DownstreamMeshTls } from './tls.ts';

export interface FilterChainMatchIR {
  readonly destinationPort: number | undefined;
  readonly transportProtocol: 'tls' | 'raw_buffer' | undefined;
  /** Empty matches any. */
  readonly applicationProtocols: readonly string[];
  readonly serverNames: readonly string[];
  /** CIDR blocks of the original destination. */
  readonly destinationPrefixes: readonly string[];
  /** CIDR blocks of the client; absent matches any. */
  readonly sourcePrefixes?: readonly string[];
}

/** Protocols that a client of this listener offers upstream, by the request's own protocol (automatic ports). */
export interface AlpnOverrideIR {
  readonly alpn: readonly string[];
}

/** Where requests and connections are logged, and in which form. */
export interface AccessLogIR {
  /** `/dev/stdout`, `/dev/stderr`, or a file that Envoy appends to. */
  readonly path: string;
  /** One text an entry, or the fields of one JSON object an entry; both with Envoy's command operators. */
  readonly format: { readonly text: string } | { readonly json: Readonly<Record<string, unknown>> };
}

/** The client's own header is dropped, or dropped and set, kept and added to, or kept (`always`: without mutual TLS too). */
export type XfccIR = 'sanitize' | 'sanitize-set-uri' | 'append-forward-uri' | 'forward-only' | 'always-forward-only';

/** Bounds on clients of a gateway; 0 of a time sets none. */
export interface EdgeIR {
  readonly requestHeadersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly streamIdleTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxHeaders: number;
  readonly maxConcurrentStreams: number;
}

/** What the terminal filters of a chain have in common. */
interface TerminalFilterIR {
  /** Requests, connections or calls, each when it ends. Absent: they are not logged. */
  readonly accessLog?: AccessLogIR | undefined;
  /** Cluster of an access log service that entries go to too. */
  readonly accessLogCluster?: string | undefined;
  readonly origins: Origins;
}

/** An HTTP connection manager. */
export interface HttpConnectionIR extends TerminalFilterIR {
  readonly kind: 'http';
  readonly statPrefix: string;
  readonly routeConfig: string;
  readonly direction: 'inbound' | 'outbound';
  readonly xfcc: XfccIR;
  readonly useRemoteAddress: boolean;
  /** Proxies in front, whose addresses in `X-Forwarded-For` are believed; absent: none. */
  readonly trustedHops?: number | undefined;
  readonly http10: boolean;
  readonly pathNormalization: 'NONE' | 'BASE' | 'MERGE_SLASHES' | 'DECODE_AND_MERGE_SLASHES';
  readonly tracing: { readonly samplingPercent: number; readonly tracer?: TracerIR } | undefined;
  readonly alpnOverride: AlpnOverrideIR | undefined;
  /** Before the router, in order of execution. */
  readonly policyFilters: readonly HttpPolicyFilterIR[];
  /** What features of its routes need, behind the policy filters. */
  readonly routeFilters?: readonly RouteFilterIR[];
  /** Set at gateways: their clients are strangers. */
  readonly edge?: EdgeIR | undefined;
}

/** A TCP proxy to one cluster. */
export interface TcpProxyIR extends TerminalFilterIR {
  readonly kind: 'tcp';
  readonly statPrefix: string;
  readonly cluster: string;
  /** Takes the place of `cluster`: at least two, each with a weight above 0. */
  readonly weightedClusters?: readonly { readonly cluster: string; readonly weight: number }[] | undefined;
  /** The client's server name takes the place of `cluster` (Envoy's `sni_cluster`). */
  readonly clusterOfServerName?: boolean | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly maxConnectionDurationMs: number | undefined;
  /** Hash by source address, for consistent-hash clusters. */
  readonly hashSourceIp: boolean;
}

/** A Redis proxy: commands go to an endpoint of one cluster by their key. Its listener logs: the filter has no log. */
export interface RedisProxyIR extends TerminalFilterIR {
  readonly kind: 'redis';
  readonly statPrefix: string;
  readonly cluster: string;
  /** How long a command waits for its answer. */
  readonly opTimeoutMs: number;
  /** Answered with an error, in upper case. */
  readonly refusedCommands: readonly string[];
}

/** A Thrift proxy: calls of any method go to one cluster. */
export interface ThriftProxyIR extends TerminalFilterIR {
  readonly kind: 'thrift';
  readonly statPrefix: string;
  readonly cluster: string;
  /** Takes the place of `cluster`: at least two, each with a weight above 0; each call is shared out. */
  readonly weightedClusters?: readonly { readonly cluster: string; readonly weight: number }[] | undefined;
}

export type NetworkFilterIR = HttpConnectionIR | TcpProxyIR | RedisProxyIR | ThriftProxyIR;

export interface FilterChainIR {
  /** Unique in its listener; the access log names it. */
  readonly name: string;
  readonly match: FilterChainMatchIR;
  readonly tls: DownstreamMeshTls | DownstreamGatewayTls | undefined;
  /** Until the TLS handshake is done; absent sets no bound. */
  readonly handshakeTimeoutMs?: number | undefined;
  /** Before a TCP proxy, in order of execution; empty where the terminal filter is HTTP's, which has its own. */
  readonly policyFilters: readonly NetworkPolicyFilterIR[];
  /** The terminal filter. */
  readonly filter: NetworkFilterIR;
  readonly origins: Origins;
}

export interface ListenerFiltersIR {
  /** Connections begin with a header of the PROXY protocol. Absent: they do not. */
  readonly proxyProtocol?: true | undefined;
  readonly originalDst: boolean;
  /** Mark of the proxy's sockets under TPROXY. */
  readonly originalSrcMark: number | undefined;
  readonly tlsInspector: { readonly disabledPorts: readonly number[] } | undefined;
  readonly httpInspector: { readonly disabledPorts: readonly number[] } | undefined;
  /** 0 waits for ever. */
  readonly timeoutMs: number;
  readonly continueOnTimeout: boolean;
}

export interface ListenerIR {
  readonly name: string;
  /** The first is `address`, the others `additional_addresses`. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly direction: 'INBOUND' | 'OUTBOUND';
  readonly bindToPort: boolean;
  readonly useOriginalDst: boolean;
  readonly transparent: boolean;
  readonly listenerFilters: ListenerFiltersIR;
  readonly filterChains: readonly FilterChainIR[];
  readonly defaultFilterChain: FilterChainIR | undefined;
  /** Whether connections are logged as they end, also those that no chain takes. */
  readonly accessLog: boolean;
  /** Absent: Envoy's own bound (1 MiB). */
  readonly connectionBufferBytes?: number | undefined;
  /** Proxies that have one of these addresses leave the listener out (a pod's own headless address). */
  readonly notForAddresses: readonly string[];
  readonly origins: Origins;
}
