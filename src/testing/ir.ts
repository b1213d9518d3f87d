import type { JwtAuthnIR, JwtProviderIR } from '../compiler/ir/jwt-authn.ts';
import type {
  FilterChainIR,
  FilterChainMatchIR,
  HttpConnectionIR,
  ListenerIR,
  RedisProxyIR,
  TcpProxyIR,
  ThriftProxyIR,
} from '../compiler/ir/listener.ts';
import type { Origins, PolicyOrigin } from '../compiler/ir/origin.ts';
import type { AssignmentsIR, BootstrapIR, ProxyIR } from '../compiler/ir/proxy.ts';
import type { RouteActionIR, RouteConfigurationIR, RouteIR, VirtualHostIR } from '../compiler/ir/route.ts';
import type { DownstreamMeshTls } from '../compiler/ir/tls.ts';

/** Origins of a built-in default. */
export const byDefault: Origins = { decidedBy: [], overrode: [] };

/** An origin in `<name>.yaml`, whose field stands at offset `start`. */
export function origin(kind: string, namespace: string, name: string, field = 'spec', start = 0): PolicyOrigin {
  const span = { file: `${name}.yaml`, start, end: start + 1 };
  return { kind, namespace, name, field: field.split('.'), at: { file: span.file, spanOf: () => span } };
}

/** Origins of a decision that nobody contested. */
export function decidedBy(...origins: readonly PolicyOrigin[]): Origins {
  return { decidedBy: origins, overrode: [] };
}

/** A match of everything, narrowed by `match`. */
export function matchIR(match: Partial<FilterChainMatchIR> = {}): FilterChainMatchIR {
  return {
    destinationPort: undefined,
    transportProtocol: undefined,
    applicationProtocols: [],
    serverNames: [],
    destinationPrefixes: [],
    ...match,
  };
}

/** A TCP proxy without time-outs of its own. */
export function tcpIR(cluster: string, tcp: Partial<TcpProxyIR> = {}): TcpProxyIR {
  return {
    kind: 'tcp',
    statPrefix: cluster,
    cluster,
    idleTimeoutMs: undefined,
    maxConnectionDurationMs: undefined,
    hashSourceIp: false,
    origins: byDefault,
    ...tcp,
  };
}

/** A Redis proxy that refuses SELECT. */
export function redisIR(cluster: string, redis: Partial<RedisProxyIR> = {}): RedisProxyIR {
  return {
    kind: 'redis',
    statPrefix: cluster,
    cluster,
    opTimeoutMs: 5_000,
    refusedCommands: ['SELECT'],
    origins: byDefault,
    ...redis,
  };
}

/** A Thrift proxy to one cluster. */
export function thriftIR(cluster: string, thrift: Partial<ThriftProxyIR> = {}): ThriftProxyIR {
  return { kind: 'thrift', statPrefix: cluster, cluster, origins: byDefault, ...thrift };
}

/** An inbound connection manager with the strictest path normalization. */
export function httpIR(routeConfig: string, http: Partial<HttpConnectionIR> = {}): HttpConnectionIR {
  return {
    kind: 'http',
    statPrefix: routeConfig,
    routeConfig,
    direction: 'inbound',
    xfcc: 'sanitize-set-uri',
    useRemoteAddress: false,
    http10: false,
    pathNormalization: 'DECODE_AND_MERGE_SLASHES',
    tracing: undefined,
    alpnOverride: undefined,
    policyFilters: [],
    origins: byDefault,
    ...http,
  };
}

/** Tokens of `https://issuer.example` in their usual places; `provider` says what else its rule asks for. */
export function jwtIR(provider: Partial<JwtProviderIR> = {}): JwtAuthnIR {
  const usual: JwtProviderIR = {
    name: 'origins-0',
    issuer: 'https://issuer.example',
    audiences: [],
    keySet: '{"keys":[{"kty":"EC"}]}',
    headers: [],
    params: [],
    cookies: [],
    forward: false,
    payloadHeader: undefined,
    claimHeaders: [],
    spaceDelimitedClaims: ['permission', 'scope'],
    headerKey: 'header',
    origins: byDefault,
  };
  const providers = [{ ...usual, ...provider }];
  return { kind: 'jwt-authn', providers, stripFailureResponse: true, invalidTokenRule: 'invalid', origins: byDefault };
}

/** Mutual TLS for identities of `cluster.local`. */
export function downstreamTls(tls: Partial<DownstreamMeshTls> = {}): DownstreamMeshTls {
  return {
    kind: 'mesh',
    alpn: ['h2', 'http/1.1'],
    peerSans: [{ kind: 'prefix', value: 'spiffe://cluster.local/' }],
    origins: byDefault,
    ...tls,
  };
}

/** A plaintext chain that matches everything. */
export function chainIR(
  name: string,
  filter: FilterChainIR['filter'],
  chain: Partial<FilterChainIR> = {},
): FilterChainIR {
  return { name, match: matchIR(), tls: undefined, policyFilters: [], filter, origins: byDefault, ...chain };
}

/** An inbound listener with both inspectors and a detection time-out of a second. */
export function listenerIR(name: string, port: number, listener: Partial<ListenerIR> = {}): ListenerIR {
  return {
    name,
    addresses: ['0.0.0.0'],
    port,
    direction: 'INBOUND',
    bindToPort: true,
    useOriginalDst: false,
    transparent: false,
    listenerFilters: {
      originalDst: true,
      originalSrcMark: undefined,
      tlsInspector: { disabledPorts: [] },
      httpInspector: { disabledPorts: [] },
      timeoutMs: 1000,
      continueOnTimeout: true,
    },
    filterChains: [],
    defaultFilterChain: undefined,
    accessLog: true,
    notForAddresses: [],
    origins: byDefault,
    ...listener,
  };
}

/** A route for every path. */
export function routeIR(name: string, action: RouteActionIR, origins: Origins = byDefault): RouteIR {
  return { name, match: { path: { kind: 'prefix', value: '/' } }, action, origins };
}

type ClusterAction = Extract<RouteActionIR, { kind: 'cluster' }>;

/** An action that forwards without a time-out and without retries. */
export function forward(cluster: string, action: Partial<ClusterAction> = {}): ClusterAction {
  return { kind: 'cluster', cluster, timeoutMs: 0, retry: undefined, hashPolicies: [], ...action };
}

/** A virtual host that no object decided. */
export function virtualHostIR(
  name: string,
  domains: readonly string[],
  routes: readonly RouteIR[],
  host: Partial<VirtualHostIR> = {},
): VirtualHostIR {
  return { name, domains, routes, includeAttemptCount: false, origins: byDefault, ...host };
}

/** A route configuration. */
export function routesIR(name: string, ...virtualHosts: readonly VirtualHostIR[]): RouteConfigurationIR {
  return { name, virtualHosts };
}

/** The bootstrap of the sidecar `a/web` with default ports. */
export function bootstrapIR(bootstrap: Partial<BootstrapIR> = {}): BootstrapIR {
  return {
    nodeId: 'sidecar~10.0.0.1~web.a~a.svc.cluster.local',
    serviceCluster: 'web.a',
    metadata: { NAMESPACE: 'a' },
    locality: undefined,
    adminPort: 15000,
    statusPort: 15020,
    localhost: '127.0.0.1',
    wildcard: '0.0.0.0',
    configPath: './etc/mesh/proxy',
    initialFetchTimeoutMs: 0,
    statsInclusion: { prefixes: [], suffixes: [], regexps: [] },
    extraStatTags: [],
    outlierLogPath: '',
    overload: { maxConnections: 500_000, maxHeapBytes: undefined, keptHeapBytes: undefined },
    ...bootstrap,
  };
}

/** Of a half without clusters of type `eds`. */
export const noAssignments: AssignmentsIR = { endpoints: [], places: new Map(), conflicts: [] };

/** The sidecar `a/web` with neither listeners nor clusters. */
export function proxyIR(proxy: Partial<ProxyIR> = {}): ProxyIR {
  const nothing = { listeners: [], routes: [], clusters: [] };
  return {
    namespace: 'a',
    workload: 'web',
    addresses: ['10.0.0.1'],
    bootstrap: bootstrapIR(),
    inbound: nothing,
    outbound: nothing,
    assignments: { inbound: noAssignments, outbound: noAssignments },
    ...proxy,
  };
}
