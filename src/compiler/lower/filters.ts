import type { ForwardedCertificate, GatewayTopology } from '../../config/gateway-topology.ts';
import type { Settings } from '../../config/settings.ts';
import type {
  AlpnOverrideIR,
  EdgeIR,
  HttpConnectionIR,
  RedisProxyIR,
  TcpProxyIR,
  ThriftProxyIR,
  XfccIR,
} from '../ir/listener.ts';
import type { Origins } from '../ir/origin.ts';
import type { HttpPolicyFilterIR } from '../ir/policy-filter.ts';
import type { RouteFilterIR } from '../ir/route-features.ts';
import { accessLog } from './access-log.ts';
import { accessLogCluster, tracer } from './reports.ts';

const xfccOf: Readonly<Record<ForwardedCertificate, XfccIR>> = {
  SANITIZE: 'sanitize',
  SANITIZE_SET: 'sanitize-set-uri',
  APPEND_FORWARD: 'append-forward-uri',
  FORWARD_ONLY: 'forward-only',
  ALWAYS_FORWARD_ONLY: 'always-forward-only',
};

/** An HTTP connection manager with the settings that its direction takes. */
export function httpConnection(
  input: {
    readonly statPrefix: string;
    readonly routeConfig: string;
    readonly direction: 'inbound' | 'outbound';
    readonly alpnOverride?: AlpnOverrideIR | undefined;
    readonly policyFilters?: readonly HttpPolicyFilterIR[];
    readonly routeFilters?: readonly RouteFilterIR[];
    /** A gateway's. */
    readonly edge?: EdgeIR;
    /** What stands in front of a gateway. */
    readonly topology?: GatewayTopology;
    readonly origins: Origins;
  },
  settings: Settings,
): HttpConnectionIR {
  const isInbound = input.direction === 'inbound';
  return {
    kind: 'http',
    statPrefix: input.statPrefix,
    routeConfig: input.routeConfig,
    direction: input.direction,
    // The application must see who called it over mutual TLS, and never what a caller claims.
    xfcc: isInbound ? xfccOf[input.topology?.forwardedCertificate ?? 'SANITIZE_SET'] : 'sanitize',
    useRemoteAddress: input.edge !== undefined || (!isInbound && settings.sidecarUseRemoteAddress),
    ...(input.topology?.numTrustedProxies ? { trustedHops: input.topology.numTrustedProxies } : {}),
    http10: settings.http10,
    pathNormalization: settings.pathNormalization,
    tracing: tracing(settings),
    alpnOverride: input.alpnOverride,
    policyFilters: input.policyFilters ?? [],
    ...(input.routeFilters?.length ? { routeFilters: input.routeFilters } : {}),
    edge: input.edge,
    accessLog: accessLog(settings),
    ...accessLogService(settings),
    origins: input.origins,
  };
}

/** A TCP proxy; time-outs and hashing only where a rule asks for them. */
export function tcpProxy(
  input: Pick<TcpProxyIR, 'statPrefix' | 'cluster' | 'origins'> & Partial<TcpProxyIR>,
  settings: Settings,
): TcpProxyIR {
  return {
    kind: 'tcp',
    statPrefix: input.statPrefix,
    cluster: input.cluster,
    weightedClusters: input.weightedClusters,
    clusterOfServerName: input.clusterOfServerName,
    idleTimeoutMs: input.idleTimeoutMs,
    maxConnectionDurationMs: input.maxConnectionDurationMs,
    hashSourceIp: input.hashSourceIp ?? false,
    accessLog: accessLog(settings),
    ...accessLogService(settings),
    origins: input.origins,
  };
}

/** A server answers everybody else again, with BUSY, once a script has run for 5 s: who waits longer waits in vain. */
const redisOpTimeoutMs = 5_000;

/** All clients share one connection to a server: a SELECT of one of them would change the database of the others. */
const refusedRedisCommands: readonly string[] = ['SELECT'];

/** A Redis proxy that shares the commands of all keys out over one cluster. */
export function redisProxy(
  { statPrefix, cluster, origins }: Pick<RedisProxyIR, 'statPrefix' | 'cluster' | 'origins'>,
  settings: Settings,
): RedisProxyIR {
  return {
    kind: 'redis',
    statPrefix,
    cluster,
    opTimeoutMs: redisOpTimeoutMs,
    refusedCommands: refusedRedisCommands,
    accessLog: accessLog(settings),
    ...accessLogService(settings),
    origins,
  };
}

/** A Thrift proxy that sends all methods the same way. */
export function thriftProxy(
  {
    statPrefix,
    cluster,
    weightedClusters,
    origins,
  }: Pick<ThriftProxyIR, 'statPrefix' | 'cluster' | 'weightedClusters' | 'origins'>,
  settings: Settings,
): ThriftProxyIR {
  return {
    kind: 'thrift',
    statPrefix,
    cluster,
    weightedClusters,
    accessLog: accessLog(settings),
    ...accessLogService(settings),
    origins,
  };
}

function tracing(settings: Settings): HttpConnectionIR['tracing'] {
  if (!settings.enableTracing) return undefined;
  const spans = tracer(settings);
  return { samplingPercent: settings.traceSamplingPercent, ...(spans === undefined ? {} : { tracer: spans }) };
}

function accessLogService(settings: Settings): { readonly accessLogCluster?: string } {
  const cluster = accessLogCluster(settings);
  return cluster === undefined ? {} : { accessLogCluster: cluster };
}
