import { metricsPort, readinessPort } from '../../lib/proxy-addresses.ts';
import type { BootstrapIR, OverloadIR } from '../ir/proxy.ts';
import type { AddressView } from './address-view.ts';
import { listSource, type SourceView } from './config-source.ts';
import { collectorView, type StaticClusterView, statsSinks } from './reports-view.ts';
import type { Delivery } from './resource.ts';

/** A listener of the bootstrap itself, which Envoy's connection limit does not count. */
export interface StaticListenerView {
  readonly name: string;
  readonly address: AddressView;
  readonly statPrefix: string;
  /** The one path that is answered, for GET. */
  readonly path: string;
  readonly cluster: string;
  /** Goes on answering where Envoy takes no more requests: who looks after the proxy must see it then. */
  readonly bypassesOverload: boolean;
}

/** What `bootstrap.json.hbs` sees; fields of type object are Envoy's messages. */
export interface BootstrapView {
  readonly nodeId: string;
  readonly serviceCluster: string;
  readonly locality?: object;
  readonly metadata: object;
  readonly adminAddress: AddressView;
  readonly maxDownstreamConnections: number;
  /** In whole bytes; absent where nothing limits memory. */
  readonly maxHeapBytes?: number;
  /** Beyond it memory that is not used goes back to the machine, in whole bytes; absent where nothing limits memory. */
  readonly keptHeapBytes?: number;
  readonly statsTags: readonly { readonly name: string; readonly regex: string }[];
  readonly statsInclusion: readonly object[];
  readonly listenersSource: SourceView;
  readonly clustersSource: SourceView;
  /** Socket of the control plane's stream; absent where resources come from files. */
  readonly ads?: { readonly path: string };
  readonly outlierLogPath: string;
  readonly staticListeners: readonly StaticListenerView[];
  readonly staticClusters: readonly StaticClusterView[];
  /** Absent where statistics are sent nowhere. */
  readonly statsSinks?: readonly object[];
  readonly sds: { readonly path: string };
}

/** The admin port is on loopback; readiness (15021) and metrics (15090) are the only ports that the outside reaches. */
export function bootstrapView(bootstrap: BootstrapIR, delivery: Delivery): BootstrapView {
  const { configPath, locality, localhost, metricsHost, overload, reports, wildcard } = bootstrap;
  const placement = { ...bootstrap, delivery };
  const metrics = { address: metricsHost ?? wildcard, port: metricsPort };
  const sinks = reports === undefined ? [] : statsSinks(reports);
  return {
    nodeId: bootstrap.nodeId,
    serviceCluster: bootstrap.serviceCluster,
    ...(locality === undefined
      ? {}
      : { locality: { region: locality.region, zone: locality.zone, sub_zone: locality.subZone } }),
    metadata: bootstrap.metadata,
    adminAddress: { address: localhost, port: bootstrap.adminPort },
    maxDownstreamConnections: overload.maxConnections,
    ...(overload.maxHeapBytes === undefined ? {} : { maxHeapBytes: overload.maxHeapBytes }),
    ...(overload.keptHeapBytes === undefined ? {} : { keptHeapBytes: overload.keptHeapBytes }),
    statsTags: [...standardTags, ...bootstrap.extraStatTags.map(extraTag)],
    statsInclusion: statsInclusion(bootstrap.statsInclusion),
    listenersSource: listSource(placement, 'listeners.json'),
    clustersSource: listSource(placement, 'clusters.json'),
    ...(delivery === 'ads' ? { ads: { path: `${configPath}/XDS` } } : {}),
    outlierLogPath: bootstrap.outlierLogPath,
    staticListeners: [
      staticListener({ address: wildcard, port: readinessPort }, 'agent', '/healthz/ready', 'agent', overload),
      staticListener(metrics, 'stats', '/stats/prometheus', 'prometheus_stats', overload),
    ],
    staticClusters: [
      ownCluster('agent', localhost, bootstrap.statusPort),
      ownCluster('prometheus_stats', localhost, bootstrap.adminPort),
      ...(reports?.collectors ?? []).map((collector) => collectorView(collector, localhost === '::1')),
    ],
    ...(sinks.length === 0 ? {} : { statsSinks: sinks }),
    sds: { path: `${configPath}/SDS` },
  };
}

function ownCluster(name: string, address: string, port: number): StaticClusterView {
  return { name, type: 'STATIC', connectTimeout: '0.250s', address: { address, port }, isGrpc: false };
}

function staticListener(
  address: AddressView,
  statPrefix: string,
  path: string,
  cluster: string,
  { maxHeapBytes }: OverloadIR,
): StaticListenerView {
  const bypassesOverload = maxHeapBytes !== undefined;
  return { name: `${address.address}_${address.port}`, address, statPrefix, path, cluster, bypassesOverload };
}

const standardTags = [
  { name: 'cluster_name', regex: '^cluster\\.((.*?)\\.)' },
  { name: 'tcp_prefix', regex: '^tcp\\.((.*?)\\.)\\w+?$' },
  { name: 'response_code', regex: '_rq(_(\\d{3}))$' },
  { name: 'response_code_class', regex: '_rq(_(\\dxx))$' },
  { name: 'http_conn_manager_prefix', regex: '^http\\.(((?:in|out)bound_[0-9.]+_\\d{1,5}|[^.]+)\\.)' },
  { name: 'listener_address', regex: '^listener\\.(((?:[_.[:digit:]]*|[_\\[\\]aAbBcCdDeEfF[:digit:]]*))\\.)' },
];

/** Tags of the telemetry label encoding, `label=.=value;.;` inside the metric's name. */
function extraTag(name: string): { name: string; regex: string } {
  const quoted = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return { name, regex: `(${quoted}=\\.=(.*?);\\.)` };
}

/** What readiness, drain and "the new version is in force" are read from: no setting takes these away. */
const alwaysIncluded = {
  prefixes: ['cluster_manager.', 'http.', 'listener.', 'listener_manager.', 'sds.', 'server.'],
  suffixes: ['rbac.allowed', 'rbac.denied', 'rbac.shadow_allowed', 'rbac.shadow_denied'],
};

function statsInclusion(extra: BootstrapIR['statsInclusion']): object[] {
  return [
    ...[...new Set([...alwaysIncluded.prefixes, ...extra.prefixes])].map((prefix) => ({ prefix })),
    ...[...new Set([...alwaysIncluded.suffixes, ...extra.suffixes])].map((suffix) => ({ suffix })),
    ...[...new Set(extra.regexps)].map((regex) => ({ safe_regex: { regex } })),
  ];
}
