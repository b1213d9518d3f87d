import { formatDuration } from '../../lib/duration.ts';
import type { EdgeIR, HttpConnectionIR, NetworkFilterIR, TcpProxyIR, XfccIR } from '../ir/listener.ts';
import type { RouteFilterIR } from '../ir/route-features.ts';
import { type AccessLogsView, accessLogsOf } from './access-logs-view.ts';
import { type Placement, routesSource, type SourceView } from './config-source.ts';
import { type LocalReplyView, localReplyViews } from './local-reply-view.ts';
import { type Originated, placed } from './placed.ts';
import { type HttpPolicyFilterView, httpPolicyFilterView, type NetworkPolicyFilterView } from './policy-filter-view.ts';
import { type RedisProxyView, redisProxyView, type ThriftProxyView, thriftProxyView } from './protocol-proxy-view.ts';
import { tracerView } from './reports-view.ts';

/** One of the fields is set; `http`, `tcp`, `redis` or `thrift` is last. */
export interface NetworkFilterView extends NetworkPolicyFilterView {
  /** Takes the cluster of the TCP proxy behind it from the client's server name. */
  readonly sniCluster?: true;
  readonly http?: HttpConnectionView;
  readonly tcp?: TcpProxyView;
  readonly redis?: RedisProxyView;
  readonly thrift?: ThriftProxyView;
}

/** One of the fields is set; the router is last. */
export interface HttpFilterView extends HttpPolicyFilterView {
  readonly setFilterState?: { readonly objectKey: string; readonly text: string };
  readonly grpcWeb?: true;
  readonly cors?: true;
  readonly fault?: true;
  readonly router?: true;
  /** Nobody outside is told what Envoy knows of the inside. */
  readonly suppressEnvoyHeaders?: true;
}

/** What a gateway's connection manager has beside a sidecar's. */
export interface EdgeView {
  readonly requestTimeout: string;
  /** Envoy's HttpProtocolOptions. */
  readonly common: object;
}

/** What `http-connection-manager` places. */
export interface HttpConnectionView extends AccessLogsView {
  readonly statPrefix: Originated<string>;
  readonly routeConfig: string;
  readonly routesSource: SourceView;
  readonly useRemoteAddress: boolean;
  readonly trustedHops?: number;
  readonly forwardClientCertDetails: string;
  readonly setCurrentClientCertDetails?: { readonly uri: true };
  readonly normalizePath: boolean;
  readonly mergeSlashes: boolean;
  readonly escapedSlashesAction: 'KEEP_UNCHANGED' | 'UNESCAPE_AND_FORWARD';
  readonly requestHeadersTimeout?: string;
  readonly streamIdleTimeout: string;
  readonly edge?: EdgeView;
  /** Envoy's Http1ProtocolOptions; absent where they are Envoy's own. */
  readonly http1?: object;
  /** Envoy's Http2ProtocolOptions. */
  readonly http2: object;
  /** `tracer` is Envoy's provider; absent: spans go nowhere. */
  readonly tracing?: { readonly randomSampling: number; readonly tracer?: object };
  readonly localReplies: readonly LocalReplyView[];
  readonly httpFilters: readonly HttpFilterView[];
}

/** What `tcp-proxy` places; an absent time-out is Envoy's default. */
export interface TcpProxyView extends AccessLogsView {
  readonly statPrefix: Originated<string>;
  /** One of the two is set. */
  readonly cluster?: string;
  readonly weightedClusters?: readonly { readonly name: string; readonly weight: number }[];
  readonly idleTimeout?: string;
  readonly maxConnectionDuration?: string;
  readonly hashSourceIp: boolean;
}

/** A caller that needs a minute for its header block is not a legitimate one. */
const inboundRequestHeadersTimeout = '60s';

/** The terminal filter of a chain; `placement` says where an HTTP filter finds its routes. */
export function networkFilterView(filter: NetworkFilterIR, placement: Placement): NetworkFilterView {
  switch (filter.kind) {
    case 'http':
      return { http: httpView(filter, placement) };
    case 'tcp':
      return { tcp: tcpView(filter) };
    case 'redis':
      return { redis: redisProxyView(filter) };
    case 'thrift':
      return { thrift: thriftProxyView(filter) };
  }
}

function httpView(http: HttpConnectionIR, placement: Placement): HttpConnectionView {
  const level = http.pathNormalization;
  return {
    statPrefix: placed(http.statPrefix, http.origins),
    routeConfig: http.routeConfig,
    routesSource: routesSource(placement, http.routeConfig),
    useRemoteAddress: http.useRemoteAddress,
    ...(http.trustedHops === undefined ? {} : { trustedHops: http.trustedHops }),
    ...xfccView(http.xfcc),
    normalizePath: level !== 'NONE',
    mergeSlashes: level === 'MERGE_SLASHES' || level === 'DECODE_AND_MERGE_SLASHES',
    escapedSlashesAction: level === 'DECODE_AND_MERGE_SLASHES' ? 'UNESCAPE_AND_FORWARD' : 'KEEP_UNCHANGED',
    ...headersTimeout(http),
    streamIdleTimeout: formatDuration(http.edge?.streamIdleTimeoutMs ?? 0),
    ...(http.edge === undefined ? {} : { edge: edgeView(http.edge) }),
    ...(http.http10 ? { http1: oldClients } : {}),
    http2: http2View(http.edge),
    ...accessLogsOf('http', http),
    ...(http.tracing === undefined ? {} : { tracing: tracingView(http.tracing) }),
    localReplies: localReplyViews(http.policyFilters),
    httpFilters: httpFilters(http),
  };
}

function xfccView(xfcc: XfccIR): Pick<HttpConnectionView, 'forwardClientCertDetails' | 'setCurrentClientCertDetails'> {
  const [mode, ofUri] = xfcc.split(/-(uri)$/);
  const forwardClientCertDetails = (mode ?? '').toUpperCase().replaceAll('-', '_');
  return ofUri === undefined
    ? { forwardClientCertDetails }
    : { forwardClientCertDetails, setCurrentClientCertDetails: { uri: true } };
}

function tracingView({ samplingPercent, tracer }: NonNullable<HttpConnectionIR['tracing']>) {
  return { randomSampling: samplingPercent, ...(tracer === undefined ? {} : { tracer: tracerView(tracer) }) };
}

function httpFilters(http: HttpConnectionIR): HttpFilterView[] {
  const filters: HttpFilterView[] = http.policyFilters.map(httpPolicyFilterView);
  if (http.alpnOverride !== undefined) {
    // The value is an access-log format string, in which a percent sign starts a command.
    const text = http.alpnOverride.alpn.join(',').replaceAll('%', '%%');
    filters.push({ setFilterState: { objectKey: 'envoy.network.application_protocols', text } });
  }
  filters.push(...(http.routeFilters ?? []).map((filter) => routeFilterViews[filter]));
  filters.push({ router: true, ...(http.edge === undefined ? {} : { suppressEnvoyHeaders: true }) });
  return filters;
}

const routeFilterViews: Readonly<Record<RouteFilterIR, HttpFilterView>> = {
  'grpc-web': { grpcWeb: true },
  cors: { cors: true },
  fault: { fault: true },
};

function headersTimeout({ edge, direction }: HttpConnectionIR): { readonly requestHeadersTimeout?: string } {
  if (edge !== undefined) return { requestHeadersTimeout: formatDuration(edge.requestHeadersTimeoutMs) };
  return direction === 'inbound' ? { requestHeadersTimeout: inboundRequestHeadersTimeout } : {};
}

/** A request of HTTP/1.0 without `Host` gets a reserved name that no policy refers to. */
const oldClients = { accept_http_10: true, default_host_for_http_10: 'no-host.invalid' };

/** Towards the outside one client may hold so many streams, and so much of what nobody has read yet. */
function http2View(edge: EdgeIR | undefined): object {
  const bounds = edge && {
    max_concurrent_streams: edge.maxConcurrentStreams,
    initial_stream_window_size: 65_536,
    initial_connection_window_size: 1_048_576,
  };
  return { ...bounds, override_stream_error_on_invalid_http_message: true };
}

/** A name with an underscore may be another header to the application (Envoy's edge best practices). */
function edgeView(edge: EdgeIR): EdgeView {
  return {
    requestTimeout: formatDuration(edge.requestTimeoutMs),
    common: {
      idle_timeout: formatDuration(edge.idleTimeoutMs),
      headers_with_underscores_action: 'REJECT_REQUEST',
      max_headers_count: edge.maxHeaders,
    },
  };
}

function tcpView(tcp: TcpProxyIR): TcpProxyView {
  return {
    statPrefix: placed(tcp.statPrefix, tcp.origins),
    ...(tcp.weightedClusters === undefined
      ? { cluster: tcp.cluster }
      : { weightedClusters: tcp.weightedClusters.map(({ cluster, weight }) => ({ name: cluster, weight })) }),
    ...(tcp.idleTimeoutMs === undefined ? {} : { idleTimeout: formatDuration(tcp.idleTimeoutMs) }),
    ...(tcp.maxConnectionDurationMs === undefined
      ? {}
      : { maxConnectionDuration: formatDuration(tcp.maxConnectionDurationMs) }),
    hashSourceIp: tcp.hashSourceIp,
    ...accessLogsOf('tcp', tcp),
  };
}
