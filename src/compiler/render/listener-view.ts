import { formatDuration } from '../../lib/duration.ts';
import type { FilterChainIR, FilterChainMatchIR, ListenerFiltersIR, ListenerIR } from '../ir/listener.ts';
import type { AccessLogView } from './access-log-view.ts';
import { type AddressView, type CidrView, cidrView } from './address-view.ts';
import type { Placement } from './config-source.ts';
import { type NetworkFilterView, networkFilterView } from './filter-view.ts';
import { type GatewayTlsView, gatewayTlsView } from './gateway-tls-view.ts';
import { type Originated, placed } from './placed.ts';
import { networkPolicyFilterView } from './policy-filter-view.ts';
import { type Present, present } from './present.ts';
import { chainLogViews } from './protocol-proxy-view.ts';
import { type DownstreamTlsView, downstreamTlsView } from './tls-view.ts';

/** Envoy's FilterChainMatch. */
export type FilterChainMatchView = Present<{
  destination_port: number | undefined;
  prefix_ranges: readonly CidrView[] | undefined;
  source_prefix_ranges: readonly CidrView[] | undefined;
  server_names: readonly string[] | undefined;
  transport_protocol: string | undefined;
  application_protocols: readonly string[] | undefined;
}>;

/** What `filter-chain` places; `filters` ends with the terminal one. */
export interface FilterChainView {
  readonly name: Originated<string>;
  readonly match: FilterChainMatchView;
  /** One of the two is set where TLS is ended here. */
  readonly tls?: DownstreamTlsView;
  readonly gatewayTls?: GatewayTlsView;
  readonly handshakeTimeout?: string;
  readonly filters: readonly NetworkFilterView[];
}

/** What `listener-filter` places; `type` is the URL of its configuration. */
export interface ListenerFilterView {
  readonly name: string;
  readonly type: string;
  /** Envoy's ListenerFilterChainMatchPredicate. */
  readonly filterDisabled?: object;
  readonly originalSrc?: { readonly mark: number };
}

/** A log of a listener; one of the two is set. */
export interface ListenerLogView {
  /** Refused connections, by the partial `access-log`. */
  readonly refusals?: true;
  /** Connections of one chain. */
  readonly ofChain?: AccessLogView;
}

/** What `listeners.json.hbs` sees. */
export interface ListenerView {
  readonly name: Originated<string>;
  readonly trafficDirection: 'INBOUND' | 'OUTBOUND';
  readonly address: AddressView;
  readonly additionalAddresses: readonly AddressView[];
  /** Has no port of its own: connections are handed over to it. */
  readonly isHandedOver: boolean;
  readonly useOriginalDst: boolean;
  readonly transparent: boolean;
  readonly connectionBufferBytes?: number;
  readonly listenerFilters: readonly ListenerFilterView[];
  readonly listenerFiltersTimeout: string;
  readonly continueOnTimeout: boolean;
  readonly accessLogs: readonly ListenerLogView[];
  readonly filterChains: readonly FilterChainView[];
  readonly defaultFilterChain?: FilterChainView;
}

/** Listeners name the files of their routes, which is why they depend on `placement`. */
export function listenerView(listener: ListenerIR, placement: Placement): ListenerView {
  const [first = '', ...others] = listener.addresses;
  const fallback = listener.defaultFilterChain;
  const chainLogs = chainLogViews([...listener.filterChains, ...(fallback === undefined ? [] : [fallback])]);
  return {
    name: placed(listener.name, listener.origins),
    trafficDirection: listener.direction,
    address: { address: first, port: listener.port },
    additionalAddresses: others.map((address) => ({ address, port: listener.port })),
    isHandedOver: !listener.bindToPort,
    useOriginalDst: listener.useOriginalDst,
    transparent: listener.transparent,
    ...(listener.connectionBufferBytes === undefined ? {} : { connectionBufferBytes: listener.connectionBufferBytes }),
    listenerFilters: listenerFilterViews(listener.listenerFilters),
    listenerFiltersTimeout: formatDuration(listener.listenerFilters.timeoutMs),
    continueOnTimeout: listener.listenerFilters.continueOnTimeout,
    accessLogs: [
      ...(listener.accessLog ? [{ refusals: true } as const] : []),
      ...chainLogs.map((ofChain) => ({ ofChain })),
    ],
    filterChains: listener.filterChains.map((chain) => filterChainView(chain, placement)),
    ...(fallback === undefined ? {} : { defaultFilterChain: filterChainView(fallback, placement) }),
  };
}

function filterChainView(chain: FilterChainIR, placement: Placement): FilterChainView {
  return {
    name: placed(chain.name, chain.origins),
    match: matchView(chain.match),
    ...chainTlsView(chain.tls, placement),
    ...(chain.handshakeTimeoutMs === undefined ? {} : { handshakeTimeout: formatDuration(chain.handshakeTimeoutMs) }),
    filters: [
      ...chain.policyFilters.map(networkPolicyFilterView),
      ...(chain.filter.kind === 'tcp' && chain.filter.clusterOfServerName ? [{ sniCluster: true } as const] : []),
      networkFilterView(chain.filter, placement),
    ],
  };
}

function chainTlsView(tls: FilterChainIR['tls'], placement: Placement): Pick<FilterChainView, 'tls' | 'gatewayTls'> {
  if (tls === undefined) return {};
  return tls.kind === 'mesh' ? { tls: downstreamTlsView(tls) } : { gatewayTls: gatewayTlsView(tls, placement) };
}

/** Envoy's form of a chain match: what matches anything is left out. */
function matchView(match: FilterChainMatchIR): FilterChainMatchView {
  return present({
    destination_port: match.destinationPort,
    prefix_ranges: match.destinationPrefixes.length === 0 ? undefined : match.destinationPrefixes.map(cidrView),
    source_prefix_ranges: match.sourcePrefixes?.length ? match.sourcePrefixes.map(cidrView) : undefined,
    server_names: match.serverNames.length === 0 ? undefined : match.serverNames,
    transport_protocol: match.transportProtocol,
    application_protocols: match.applicationProtocols.length === 0 ? undefined : match.applicationProtocols,
  });
}

const listenerFilterType = (name: string, message: string): ListenerFilterView => ({
  name: `envoy.filters.listener.${name}`,
  type: `type.googleapis.com/envoy.extensions.filters.listener.${name}.v3.${message}`,
});

/** The TLS inspector stands before the HTTP inspector, which leaves TLS alone. */
function listenerFilterViews(filters: ListenerFiltersIR): ListenerFilterView[] {
  const views: ListenerFilterView[] = [];
  // Its header stands before everything else that a connection brings.
  if (filters.proxyProtocol) views.push(listenerFilterType('proxy_protocol', 'ProxyProtocol'));
  if (filters.originalDst) views.push(listenerFilterType('original_dst', 'OriginalDst'));
  if (filters.originalSrcMark !== undefined) {
    const originalSrc = { mark: filters.originalSrcMark };
    views.push({ ...listenerFilterType('original_src', 'OriginalSrc'), originalSrc });
  }
  if (filters.tlsInspector !== undefined) {
    views.push(inspector('tls_inspector', 'TlsInspector', filters.tlsInspector.disabledPorts));
  }
  if (filters.httpInspector !== undefined) {
    views.push(inspector('http_inspector', 'HttpInspector', filters.httpInspector.disabledPorts));
  }
  return views;
}

function inspector(name: string, message: string, disabledPorts: readonly number[]): ListenerFilterView {
  const view = listenerFilterType(name, message);
  const rules = disabledPorts.map((port) => ({ destination_port_range: { start: port, end: port + 1 } }));
  if (rules.length === 0) return view;
  return { ...view, filterDisabled: rules.length === 1 ? (rules[0] ?? {}) : { or_match: { rules } } };
}
