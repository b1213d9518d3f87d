import { formatDuration } from '../../lib/duration.ts';
import type { ClusterIR } from '../ir/cluster.ts';
import { type Present, presentOrNone } from './present.ts';

/** HttpProtocolOptions of a cluster; one of `explicit` and `downstream` is set. */
export interface HttpProtocolView {
  readonly common?: object;
  readonly upstream?: object;
  /** The one version that is spoken. */
  readonly explicit?: object;
  /** The version of the client's request is spoken. */
  readonly downstream?: object;
}

/** Undefined where Envoy's default (HTTP/1.1 without further settings) is what the cluster wants. */
export function httpProtocolView(cluster: ClusterIR): HttpProtocolView | undefined {
  const { http } = cluster;
  const common = commonOptions(cluster);
  const upstream = serverNameOptions(cluster);
  if ((http.protocol === 'none' || http.protocol === 'http1') && !common && !upstream && !http.http10) return undefined;
  return {
    ...(common === undefined ? {} : { common }),
    ...(upstream === undefined ? {} : { upstream }),
    ...codec(http),
  };
}

function codec({
  protocol,
  http10,
  maxConcurrentStreams,
}: ClusterIR['http']): Pick<HttpProtocolView, 'explicit' | 'downstream'> {
  const http1 = { http_protocol_options: http10 ? { accept_http_10: true } : {} };
  const http2 = {
    http2_protocol_options: {
      ...(maxConcurrentStreams === undefined ? {} : { max_concurrent_streams: maxConcurrentStreams }),
      override_stream_error_on_invalid_http_message: true,
    },
  };
  if (protocol === 'downstream') return { downstream: { ...http1, ...http2 } };
  return { explicit: protocol === 'http2' ? http2 : http1 };
}

function commonOptions(cluster: ClusterIR): Present<object> | undefined {
  const { idleTimeoutMs, maxRequestsPerConnection } = cluster.http;
  return presentOrNone({
    idle_timeout: idleTimeoutMs === undefined ? undefined : formatDuration(idleTimeoutMs),
    max_connection_duration:
      cluster.maxConnectionDurationMs === undefined ? undefined : formatDuration(cluster.maxConnectionDurationMs),
    max_requests_per_connection: maxRequestsPerConnection,
  });
}

function serverNameOptions(cluster: ClusterIR): Present<object> | undefined {
  const { transport } = cluster;
  if (transport.kind !== 'tls' || transport.tls.kind !== 'external') return undefined;
  return presentOrNone({
    auto_sni: transport.tls.autoSni || undefined,
    auto_san_validation: transport.tls.autoSanValidation || undefined,
  });
}
