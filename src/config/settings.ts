import type { LocalityLoadBalancing } from '../policy/destination-rule.ts';
import type { LabelSelector } from '../policy/label-selector.ts';
import type { GatewayTopology } from './gateway-topology.ts';

/** Where a setting got its value; `detail` names the flag, the variable, or the file and line. */
export interface SettingOrigin {
  readonly source: 'flag' | 'annotation' | 'variable' | 'file' | 'default';
  readonly detail: string;
}

export type PathNormalization = 'NONE' | 'BASE' | 'MERGE_SLASHES' | 'DECODE_AND_MERGE_SLASHES';

/** Bounds on what one client may do to a gateway; times in milliseconds, 0 sets no bound. */
export interface GatewayLimits {
  readonly requestHeadersTimeoutMs: number;
  /** Until the whole request is there. */
  readonly requestTimeoutMs: number;
  /** Without a byte in either direction. */
  readonly streamIdleTimeoutMs: number;
  /** Of a connection without requests. */
  readonly idleTimeoutMs: number;
  /** Until the TLS handshake is done. */
  readonly handshakeTimeoutMs: number;
  readonly maxHeaders: number;
  readonly maxConcurrentStreams: number;
  readonly connectionBufferBytes: number;
}

export interface KeepaliveSettings {
  readonly probes?: number;
  readonly timeSeconds?: number;
  readonly intervalSeconds?: number;
}

/** `injection` of the mesh configuration, as far as it decides which pods get a proxy. */
export interface InjectionChoice {
  /** `disabled`: of the pods that labels select, only those that say so themselves, or that `alwaysInjectSelector` selects. */
  readonly policy: 'enabled' | 'disabled';
  /** Labels of pods that get no proxy, unless they say themselves that they want one. */
  readonly neverInjectSelector: readonly LabelSelector[];
  /** Labels of pods that get one although `policy` is `disabled`; `neverInjectSelector` comes first. */
  readonly alwaysInjectSelector: readonly LabelSelector[];
}

/** Mesh configuration, and every variable of the specification that changes compiled output, parsed once. */
export interface Settings {
  /** Policies without a selector in this namespace hold for the whole mesh. */
  readonly rootNamespace: string;
  readonly trustDomain: string;
  readonly trustDomainAliases: readonly string[];
  /** Suffix of service hosts: `<service>.<namespace>.svc.<clusterDomain>`. */
  readonly clusterDomain: string;
  readonly clusterId: string;
  readonly autoMtls: boolean;
  readonly outboundTrafficPolicy: 'ALLOW_ANY' | 'REGISTRY_ONLY';
  readonly connectTimeoutMs: number;
  readonly dnsRefreshRateMs: number;
  readonly tcpKeepalive: KeepaliveSettings | undefined;
  readonly h2UpgradePolicy: 'DO_NOT_UPGRADE' | 'UPGRADE';
  readonly proxyListenPort: number;
  readonly proxyInboundListenPort: number;
  readonly defaultServiceExportTo: readonly string[];
  readonly defaultVirtualServiceExportTo: readonly string[];
  readonly defaultDestinationRuleExportTo: readonly string[];
  readonly pathNormalization: PathNormalization;
  /** Where declared inbound ports are delivered: the original destination (pod address), or loopback. */
  readonly inboundDelivery: 'POD_ADDRESS' | 'LOCALHOST';
  readonly accessLogFile: string;
  readonly accessLogFormat: string;
  readonly accessLogEncoding: 'TEXT' | 'JSON';
  /** Access logs go to the proxies' access log service too. */
  readonly accessLogService: boolean;
  readonly enableTracing: boolean;
  readonly localityLoadBalancing: boolean;
  /** Where load goes by locality, for hosts whose rule has no `localityLbSetting` of its own. */
  readonly localityRules: Omit<LocalityLoadBalancing, 'enabled'>;

  /** PILOT_ENABLE_PROTOCOL_SNIFFING_FOR_INBOUND and …_OUTBOUND. */
  readonly sniffInbound: boolean;
  readonly sniffOutbound: boolean;
  /** PILOT_INBOUND_PROTOCOL_DETECTION_TIMEOUT; 0 waits for ever. */
  readonly inboundDetectionTimeoutMs: number;
  /** `protocolDetectionTimeout` of the mesh configuration, for outbound listeners. */
  readonly outboundDetectionTimeoutMs: number;
  /** PILOT_HTTP10. */
  readonly http10: boolean;
  /** PILOT_ENABLE_HEADLESS_SERVICE_POD_LISTENERS. */
  readonly headlessPodListeners: boolean;
  /** PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES. */
  readonly edsForHeadless: boolean;
  /** PILOT_ENABLE_KVSTORE_FILTER: connections to `redis` ports end in Envoy's Redis proxy. */
  readonly redisProxy: boolean;
  /** PILOT_ENABLE_RPC_FILTER: connections to `thrift` ports end in Envoy's Thrift proxy. */
  readonly thriftProxy: boolean;
  /** PILOT_INITIAL_FETCH_TIMEOUT; 0 waits for ever. */
  readonly initialFetchTimeoutMs: number;
  /** PILOT_SIDECAR_USE_REMOTE_ADDRESS. */
  readonly sidecarUseRemoteAddress: boolean;
  /** MESH_DEFAULT_REQUEST_TIMEOUT; 0 disables. */
  readonly defaultRequestTimeoutMs: number;
  /** PILOT_TRACE_SAMPLING, percent. */
  readonly traceSamplingPercent: number;
  /** PILOT_ENABLE_SERVICEENTRY_SELECT_PODS. */
  readonly serviceEntriesSelectPods: boolean;
  /** PILOT_USE_ENDPOINT_SLICE. */
  readonly useEndpointSlice: boolean;
  /** PILOT_SKIP_VALIDATE_TRUST_DOMAIN. */
  readonly skipValidateTrustDomain: boolean;
  /** PILOT_SCOPE_GATEWAY_TO_NAMESPACE. */
  readonly scopeGatewayToNamespace: boolean;
  /** PILOT_FILTER_GATEWAY_CLUSTER_CONFIG. */
  readonly filterGatewayClusters: boolean;
  /** PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE. */
  readonly virtualServiceDelegates: boolean;
  readonly gatewayLimits: GatewayLimits;
  /** Gateways (`<namespace>/<name>`) whose servers may pass TLS on to any service that the client names. */
  readonly autoPassthroughGateways: readonly string[];
  /** Hosts that key sets may be fetched from although their addresses are private or loopback ones. */
  readonly jwksAllowedHosts: readonly string[];
  /** Addresses and CIDR blocks that endpoints may have although they are loopback, unspecified or link-local ones. */
  readonly allowedLocalEndpoints: readonly string[];
  /** Hosts, in lower case, whose endpoints may have one of the proxy's own ports. */
  readonly allowedProxyPortHosts: readonly string[];

  readonly injection: InjectionChoice;

  /** In the order of the mesh configuration. */
  readonly extensionProviders: readonly ExtensionProvider[];

  /** Addresses of `configSources`: `fs:///path`, later `xds://host:port`. */
  readonly configSources: readonly string[];
  /** How proxies are started (ProxyConfig); the part of it that reaches the bootstrap. */
  readonly proxy: ProxySettings;
  /** One entry a setting (`autoMtls`, `proxy.adminPort`): where its value came from. */
  readonly origins: Readonly<Record<string, SettingOrigin>>;
}

/** A provider that CUSTOM policies may name (`extensionProviders` of the mesh configuration). */
export interface ExtensionProvider {
  readonly name: string;
  /** Undefined for providers of other kinds, of which only the name is known. */
  readonly authorizer: AuthorizerSettings | undefined;
}

/** An external authorizer and how it is asked. */
export interface AuthorizerSettings {
  readonly protocol: 'http' | 'grpc';
  /** `host`, or `namespace/host` for the service of that namespace. */
  readonly service: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly failOpen: boolean;
  readonly statusOnError: number;
  readonly clearRouteCache: boolean;
  readonly requestBody:
    | { readonly maxBytes: number; readonly allowPartial: boolean; readonly asBytes: boolean }
    | undefined;
  /** The rest is for HTTP only. Lists of header names: `name`, `name*` or `*name`. */
  readonly pathPrefix: string;
  readonly headersToAuthorizer: readonly string[];
  readonly headersToAdd: Readonly<Record<string, string>>;
  readonly headersToUpstream: readonly string[];
  readonly headersToDownstreamOnAllow: readonly string[];
  readonly headersToDownstreamOnDeny: readonly string[];
}

/** A collector of traces, `host:port`. */
export interface TracerSettings {
  readonly kind: 'zipkin' | 'datadog' | 'openTelemetry';
  readonly address: string;
}

/** ProxyConfig, merged from its layers (agent-side precedence: flag, annotation, variable, file, default). */
export interface ProxySettings {
  /** Folder of the files that Envoy reads, as Envoy sees it; relative to Envoy's working directory. */
  readonly configPath: string;
  readonly binaryPath: string;
  readonly serviceCluster: string;
  readonly drainDurationMs: number;
  readonly terminationDrainDurationMs: number;
  readonly terminationDrain: 'plain' | 'graceful';
  readonly adminPort: number;
  readonly statusPort: number;
  /** Where the agent serves tokens on loopback (`--stsPort`); 0: nowhere. */
  readonly tokenServicePort: number;
  /** The agent serves DNS on loopback (DNS_AGENT). */
  readonly servesDns: boolean;
  /** Worker threads of Envoy; 0: one a processor; undefined: what the container may use. */
  readonly concurrency: number | undefined;
  readonly interceptionMode: 'REDIRECT' | 'TPROXY';
  readonly discoveryAddress: string;
  /** What stands between clients and gateways; without effect at sidecars. */
  readonly gatewayTopology: GatewayTopology;
  readonly extraStatTags: readonly string[];
  readonly statsInclusionPrefixes: readonly string[];
  readonly statsInclusionSuffixes: readonly string[];
  readonly statsInclusionRegexps: readonly string[];
  readonly proxyMetadata: Readonly<Record<string, string>>;
  readonly outlierLogPath: string;
  /** Addresses of the port of Envoy's metrics. */
  readonly metricsListener: 'WILDCARD' | 'LOOPBACK';
  /** Where traces go; undefined: nowhere. */
  readonly tracer: TracerSettings | undefined;
  /** Servers that the proxy reports to, `host:port`; empty: none. */
  readonly statsdAddress: string;
  readonly metricsServiceAddress: string;
  readonly accessLogServiceAddress: string;
  /** A bootstrap in Envoy's own form that takes the place of ours; empty: none. */
  readonly customConfigFile: string;
  /** A bootstrap template, used where neither MESH_BOOTSTRAP nor `--templateFile` names one; empty: none. */
  readonly bootstrapTemplatePath: string;
}
