import type { HostFacts } from '../../../config/host-facts.ts';
import type { KeepaliveSettings, Settings } from '../../../config/settings.ts';
import { parseDuration } from '../../../lib/duration.ts';
import type { ConnectionPoolSettings, TcpKeepalive } from '../../../policy/destination-rule.ts';
import type { CircuitBreakersIR, ClusterIR, KeepaliveIR, UpstreamHttpIR } from '../../ir/cluster.ts';
import type { Lowering } from '../lowering.ts';
import { destinationLimits } from '../overload-limits.ts';

/** Envoy's own limits (1024 connections, 3 retries) would cut legitimate calls; a rule, or the machine, sets others. */
const unlimited = 4_294_967_295;

const manyStreams = 1_073_741_824;

/** The fields of a cluster that a rule's connection pool decides; mesh defaults where it says nothing. */
export type PooledFields = Pick<
  ClusterIR,
  'connectTimeoutMs' | 'circuitBreakers' | 'keepalive' | 'maxConnectionDurationMs' | 'tcpIdleTimeoutMs'
>;

export function pooledFields(
  pool: ConnectionPoolSettings | undefined,
  { settings, host }: Pick<Lowering, 'settings' | 'host'>,
): PooledFields {
  const { tcp } = pool ?? {};
  return {
    connectTimeoutMs: durationMs(tcp?.connectTimeout) || settings.connectTimeoutMs,
    circuitBreakers: circuitBreakers(pool, host),
    keepalive: keepalive(settings.tcpKeepalive, tcp?.tcpKeepalive),
    maxConnectionDurationMs: durationMs(tcp?.maxConnectionDuration),
    tcpIdleTimeoutMs: durationMs(tcp?.idleTimeout),
  };
}

/** HTTP of the upstream connections; `protocol` is what the port's protocol and the rule come to. */
export function upstreamHttp(
  protocol: UpstreamHttpIR['protocol'],
  pool: ConnectionPoolSettings | undefined,
  settings: Settings,
): UpstreamHttpIR {
  const http = protocol === 'none' ? undefined : pool?.http;
  const isMultiplexed = protocol === 'http2' || protocol === 'downstream';
  return {
    protocol,
    maxConcurrentStreams: isMultiplexed ? http?.maxConcurrentStreams || manyStreams : undefined,
    idleTimeoutMs: durationMs(http?.idleTimeout),
    maxRequestsPerConnection: http?.maxRequestsPerConnection || undefined,
    http10: settings.http10 && protocol !== 'none' && protocol !== 'http2',
  };
}

/** Milliseconds of a duration that its schema has checked. */
export function durationMs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}

/** Zero means unset in every field. */
function circuitBreakers({ tcp, http }: ConnectionPoolSettings = {}, host: HostFacts | undefined): CircuitBreakersIR {
  const { connections = unlimited, waiting = unlimited } = destinationLimits(host);
  return {
    maxConnections: tcp?.maxConnections || connections,
    maxPendingRequests: http?.http1MaxPendingRequests || waiting,
    maxRequests: http?.http2MaxRequests || unlimited,
    maxRetries: http?.maxRetries || unlimited,
  };
}

/** The mesh's keepalive, each field replaced by the rule's; an empty rule switches it on with the kernel's figures. */
function keepalive(mesh: KeepaliveSettings | undefined, rule: TcpKeepalive | undefined): KeepaliveIR | undefined {
  if (mesh === undefined && rule === undefined) return undefined;
  return {
    probes: rule?.probes || mesh?.probes,
    timeSeconds: wholeSeconds(rule?.time) ?? mesh?.timeSeconds,
    intervalSeconds: wholeSeconds(rule?.interval) ?? mesh?.intervalSeconds,
  };
}

function wholeSeconds(text: string | undefined): number | undefined {
  const milliseconds = durationMs(text);
  return milliseconds === undefined ? undefined : Math.max(1, Math.round(milliseconds / 1000));
}
