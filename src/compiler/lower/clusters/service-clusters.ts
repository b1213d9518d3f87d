import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { ConnectionPoolSettings } from '../../../policy/destination-rule.ts';
import type { ClusterIR, ClusterType, EndpointsIR, UpstreamHttpIR } from '../../ir/cluster.ts';
import type { ConflictIR } from '../../ir/proxy.ts';
import type { ClientScope, EffectiveOutbound, EffectiveSubset, EffectiveTraffic } from '../../merge/effective.ts';
import type { Endpoint, Service, ServicePort } from '../../topology/model.ts';
import { isHttp2, protocolClass } from '../../topology/protocol.ts';
import { upstreamTransport } from '../auth/upstream-transport.ts';
import type { Lowering } from '../lowering.ts';
import { outboundCluster, statName } from '../names.ts';
import { blockOrigins, joinOrigins, servicePortOrigins } from '../origins.ts';
import { protocolProxy } from '../protocol-proxy.ts';
import { choosing } from './assignments.ts';
import { pooledFields, upstreamHttp } from './connection-pool.ts';
import { type EndpointSelection, endpointsIr, selectEndpoints } from './endpoints.ts';
import { reportIdleFields } from './idle-fields.ts';
import { loadBalancing } from './load-balancing.ts';
import { localityBalancing, localityLabel } from './locality-balancing.ts';
import { outlierDetection } from './outlier-detection.ts';

export interface ServiceClusters {
  readonly clusters: readonly ClusterIR[];
  readonly conflicts: readonly ConflictIR[];
}

/** One cluster a port for the whole service, and one a port and subset. UDP has none. */
export function serviceClusters(
  outbound: EffectiveOutbound,
  scope: ClientScope,
  lowering: Lowering,
  bag: DiagnosticBag,
): readonly ServiceClusters[] {
  const { service, serviceMode } = outbound;
  const label = `clusters ${scope.role} ${scope.families.join()} ${scope.trustDomain}`;
  return outbound.subsets.map((subset) => {
    const where = localityLabel(subset, scope, lowering.settings);
    return lowering.memo.of([subset, service, serviceMode], `${label}${where}`, bag, (own) =>
      subsetClusters({ outbound, subset, scope }, lowering, own),
    );
  });
}

interface SubsetInput {
  readonly outbound: EffectiveOutbound;
  readonly subset: EffectiveSubset;
  readonly scope: ClientScope;
}

function subsetClusters(input: SubsetInput, lowering: Lowering, bag: DiagnosticBag): ServiceClusters {
  const { service } = input.outbound;
  warnOfSeveralNames(service, bag);
  const clusters: ClusterIR[] = [];
  const conflicts: ConflictIR[] = [];
  for (const port of service.ports) {
    const traffic = input.subset.traffic.get(port.number);
    if (traffic === undefined || protocolClass(port.protocol, lowering.settings.sniffOutbound) === 'none') continue;
    const selection = { port: port.number, labels: input.subset.labels, families: input.scope.families };
    const named = selectEndpoints(service.facts.named, selection);
    const type = clusterType(service, named, traffic, input.scope, lowering);
    const name = outboundCluster(service.host, port.number, input.subset.name);
    if (service.resolution === 'dns' && type !== 'original-dst' && named.length === 0) {
      conflicts.push({ metric: 'pilot_dns_cluster_without_endpoints', key: name });
    }
    const isByKey = protocolProxy(port.protocol, input.scope.role, lowering.settings) === 'redis';
    reportIdleFields(traffic, service, { type, isByKey }, bag);
    clusters.push(clusterIr({ ...input, port, traffic, selection, named, type, name }, lowering, bag));
  }
  return { clusters, conflicts };
}

interface ClusterInput extends SubsetInput {
  readonly port: ServicePort;
  readonly traffic: EffectiveTraffic;
  readonly selection: EndpointSelection;
  /** Endpoints that the cluster itself holds, for DNS. */
  readonly named: readonly Endpoint[];
  readonly type: ClusterType;
  readonly name: string;
}

function clusterIr(input: ClusterInput, lowering: Lowering, bag: DiagnosticBag): ClusterIR {
  const { outbound, subset, scope, port, traffic, selection, named, name } = input;
  const { service, serviceMode } = outbound;
  const { settings } = lowering;
  const { connectionPool, loadBalancer, outlierDetection: outlier } = traffic.blocks;
  const http = upstreamHttp(upstreamProtocol(port, connectionPool, scope, lowering), connectionPool, settings);
  const isOriginalDst = input.type === 'original-dst';
  const isByKey = protocolProxy(port.protocol, scope.role, settings) === 'redis';
  const balancing = localityBalancing(traffic.blocks, input.type, scope, settings);
  const isApart = input.type === 'eds';
  const assigned = isOriginalDst || isApart ? undefined : endpointsIr(name, named, balancing);
  const type = typeFor(assigned, input.type);
  const target = { scope, service, port, subset: subset.name, traffic, serviceMode, isOriginalDst, http };
  const rule = blockOrigins(traffic, 'connectionPool', 'loadBalancer', 'outlierDetection');
  const cluster: ClusterIR = {
    name,
    altStatName: statName(name),
    type,
    loadBalancing: loadBalancing(type, loadBalancer, isByKey),
    endpoints: assigned,
    transport: upstreamTransport(target, lowering, bag),
    http,
    ...pooledFields(connectionPool, lowering),
    outlierDetection: outlierDetection(outlier),
    healthyPanicPercent: outlier === undefined ? undefined : (outlier.minHealthPercent ?? 0),
    localityWeighted: balancing.kind !== 'none',
    dns: isDns(type) ? { refreshRateMs: settings.dnsRefreshRateMs, families: dnsFamilies(scope) } : undefined,
    bindAddresses: [],
    origins: joinOrigins(joinOrigins(rule, subset.origins), servicePortOrigins(service, port.number)),
  };
  return choosing(cluster, isApart ? { ...selection, service, balancing } : undefined);
}

function clusterType(
  service: Service,
  named: readonly Endpoint[],
  traffic: EffectiveTraffic,
  scope: ClientScope,
  { settings }: Lowering,
): ClusterType {
  const isSidecar = scope.role === 'sidecar';
  if (isSidecar && traffic.blocks.loadBalancer?.simple === 'PASSTHROUGH') return 'original-dst';
  if (service.resolution === 'passthrough') {
    const knowsEndpoints = service.isHeadless && settings.edsForHeadless;
    return isSidecar && !knowsEndpoints ? 'original-dst' : 'eds';
  }
  if (service.resolution === 'client') return 'eds';
  if (named.length === 0) return 'static';
  // Envoy takes exactly one host name in a LOGICAL_DNS cluster.
  return service.dnsRoundRobin && named.length === 1 ? 'logical-dns' : 'strict-dns';
}

/** Entries that a selector finds come and go: unlike two in the object itself, this is no error. */
function warnOfSeveralNames({ dnsRoundRobin, facts, host, object }: Service, bag: DiagnosticBag): void {
  const count = new Set(facts.named.map(({ address }) => address)).size;
  if (!dnsRoundRobin || count < 2) return;
  bag.report('round-robin-of-several', object.document.spanOf(['spec', 'resolution']), { host, count: String(count) });
}

/** Envoy refuses a LOGICAL_DNS cluster without endpoints; a rule that shares load out by locality may leave none. */
function typeFor(assigned: EndpointsIR | undefined, type: ClusterType): ClusterType {
  return assigned?.localities.length === 0 ? 'static' : type;
}

function upstreamProtocol(
  port: ServicePort,
  pool: ConnectionPoolSettings | undefined,
  scope: ClientScope,
  { settings }: Lowering,
): UpstreamHttpIR['protocol'] {
  const detected = protocolClass(port.protocol, settings.sniffOutbound);
  if (detected === 'auto') return scope.role === 'sidecar' ? 'downstream' : 'http1';
  if (detected !== 'http') return 'none';
  if (pool?.http?.useClientProtocol === true) return 'downstream';
  if (isHttp2(port.protocol)) return 'http2';
  const upgrade = pool?.http?.h2UpgradePolicy ?? 'DEFAULT';
  return (upgrade === 'DEFAULT' ? settings.h2UpgradePolicy : upgrade) === 'UPGRADE' ? 'http2' : 'http1';
}

function isDns(type: ClusterType): boolean {
  return type === 'strict-dns' || type === 'logical-dns';
}

function dnsFamilies({ families }: ClientScope): 'v4' | 'v6' | 'all' {
  if (!families.includes('ipv6')) return 'v4';
  return families.includes('ipv4') ? 'all' : 'v6';
}
