import { formatDuration } from '../../lib/duration.ts';
import type {
  CircuitBreakersIR,
  ClusterIR,
  ClusterType,
  EndpointsIR,
  LoadBalancing,
  OutlierDetectionIR,
} from '../ir/cluster.ts';
import { adsSource, type Placement, type SourceView } from './config-source.ts';
import { type HttpProtocolView, httpProtocolView } from './http-protocol-view.ts';
import { type LoadAssignmentView, loadAssignmentView } from './load-assignment-view.ts';
import { type Originated, placed } from './placed.ts';
import { presentOrNone } from './present.ts';
import { type TransportView, transportView } from './tls-view.ts';

/** What `clusters.json.hbs` sees; fields of type object are Envoy's messages. */
export interface ClusterView extends TransportView {
  readonly name: Originated<string>;
  readonly altStatName: string;
  /** Absent for DNS clusters, whose type is an extension. */
  readonly type?: string;
  readonly connectTimeout: string;
  readonly loadAssignment?: LoadAssignmentView;
  /** Where the endpoints come from; absent for clusters that hold them. */
  readonly endpointsSource?: SourceView;
  readonly dns?: {
    readonly refreshRate: string;
    readonly lookupFamily: string;
    /** All addresses of the name are one endpoint (LOGICAL_DNS), not one each (STRICT_DNS). */
    readonly isLogical: boolean;
  };
  readonly http?: HttpProtocolView;
  readonly circuitBreakers?: object;
  readonly outlierDetection?: object;
  readonly commonLoadBalancing?: object;
  readonly roundRobin?: object;
  readonly leastRequest?: object;
  readonly ringHash?: object;
  readonly maglev?: object;
  readonly keepalive?: object;
  readonly bind?: { readonly sourceAddress: string; readonly extraSourceAddresses: readonly string[] };
  readonly lbPolicy: string;
}

const clusterTypes: Readonly<Record<ClusterType, string | undefined>> = {
  eds: 'EDS',
  static: 'STATIC',
  'strict-dns': undefined,
  'logical-dns': undefined,
  'original-dst': 'ORIGINAL_DST',
};

const lbPolicies: Readonly<Record<LoadBalancing['policy'], string>> = {
  'round-robin': 'ROUND_ROBIN',
  'least-request': 'LEAST_REQUEST',
  random: 'RANDOM',
  'ring-hash': 'RING_HASH',
  maglev: 'MAGLEV',
  'cluster-provided': 'CLUSTER_PROVIDED',
};

const dnsFamilies = { v4: 'V4_ONLY', v6: 'V6_ONLY', all: 'ALL' } as const;

/**
 * Lists and messages that nobody set are absent, so that the template leaves them out. `tcpIdleTimeoutMs` is not here:
 * the TCP proxy in front of the cluster keeps it. `endpoints` are those that the cluster is to hold, whatever its type.
 */
export function clusterView(cluster: ClusterIR, placement: Placement, endpoints: EndpointsIR | undefined): ClusterView {
  const { keepalive } = cluster;
  const isApart = cluster.type === 'eds' && endpoints === undefined;
  const [sourceAddress, ...extraSourceAddresses] = cluster.bindAddresses;
  const optional = {
    loadAssignment: endpoints && loadAssignmentView(endpoints),
    endpointsSource: isApart ? adsSource(placement) : undefined,
    type: cluster.type === 'eds' && !isApart ? 'STATIC' : clusterTypes[cluster.type],
    dns: dnsView(cluster),
    http: httpProtocolView(cluster),
    circuitBreakers: cluster.circuitBreakers && thresholds(cluster.circuitBreakers),
    outlierDetection: cluster.outlierDetection && outlierDetection(cluster.outlierDetection),
    commonLoadBalancing: presentOrNone({
      healthy_panic_threshold:
        cluster.healthyPanicPercent === undefined ? undefined : { value: cluster.healthyPanicPercent },
      locality_weighted_lb_config: cluster.localityWeighted ? {} : undefined,
    }),
    keepalive:
      keepalive &&
      presentOrNone({
        keepalive_probes: keepalive.probes,
        keepalive_time: keepalive.timeSeconds,
        keepalive_interval: keepalive.intervalSeconds,
      }),
    bind: sourceAddress === undefined ? undefined : { sourceAddress, extraSourceAddresses },
    ...loadBalancing(cluster.loadBalancing),
  };
  return {
    name: placed(cluster.name, cluster.origins),
    altStatName: cluster.altStatName,
    connectTimeout: formatDuration(cluster.connectTimeoutMs),
    ...transportView(cluster.transport),
    lbPolicy: lbPolicies[cluster.loadBalancing.policy],
    ...(presentOrNone(optional) ?? {}),
  };
}

function dnsView({ type, dns }: ClusterIR): ClusterView['dns'] {
  if (type !== 'strict-dns' && type !== 'logical-dns') return undefined;
  if (dns === undefined) throw new Error('a DNS cluster without DNS settings');
  return {
    refreshRate: formatDuration(dns.refreshRateMs),
    lookupFamily: dnsFamilies[dns.families],
    isLogical: type === 'logical-dns',
  };
}

type PolicyFields = Pick<ClusterView, 'roundRobin' | 'leastRequest' | 'ringHash' | 'maglev'>;

function loadBalancing(settings: LoadBalancing): PolicyFields {
  if (settings.policy === 'round-robin' || settings.policy === 'least-request') {
    if (settings.warmupMs === undefined) return {};
    const config = { slow_start_config: { slow_start_window: formatDuration(settings.warmupMs) } };
    return settings.policy === 'round-robin' ? { roundRobin: config } : { leastRequest: config };
  }
  if (settings.policy === 'ring-hash') return { ringHash: { minimum_ring_size: settings.minimumRingSize } };
  if (settings.policy === 'maglev' && settings.tableSize !== undefined) {
    return { maglev: { table_size: settings.tableSize } };
  }
  return {};
}

function thresholds(limits: CircuitBreakersIR): object {
  return {
    max_connections: limits.maxConnections,
    max_pending_requests: limits.maxPendingRequests,
    max_requests: limits.maxRequests,
    max_retries: limits.maxRetries,
  };
}

/** A threshold of 0 switches its own detection off; Envoy's ejection by success rates, which no rule asks for, is off. */
function outlierDetection(outliers: OutlierDetectionIR): object | undefined {
  const counted = <Name extends string>(name: Name, count: number | undefined): object => {
    if (count === undefined) return {};
    return count === 0 ? { [`enforcing_${name}`]: 0 } : { [name]: count, [`enforcing_${name}`]: 100 };
  };
  return {
    ...counted('consecutive_5xx', outliers.consecutive5xx),
    ...counted('consecutive_gateway_failure', outliers.consecutiveGatewayFailure),
    ...counted('consecutive_local_origin_failure', outliers.consecutiveLocalOriginFailure),
    ...(outliers.splitExternalLocalOriginErrors
      ? { split_external_local_origin_errors: true, enforcing_local_origin_success_rate: 0 }
      : {}),
    ...(outliers.intervalMs === undefined ? {} : { interval: formatDuration(outliers.intervalMs) }),
    ...(outliers.baseEjectionTimeMs === undefined
      ? {}
      : { base_ejection_time: formatDuration(outliers.baseEjectionTimeMs) }),
    ...(outliers.maxEjectionPercent === undefined ? {} : { max_ejection_percent: outliers.maxEjectionPercent }),
    enforcing_success_rate: 0,
  };
}
