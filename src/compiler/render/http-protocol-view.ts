import { formatDuration } from '../../lib/duration.ts';
import type { ClusterIR } from '../ir/cluster.ts';
import { type Present, presentOrNone } from './present.ts';

/** HttpProtocolOptions of a cluster; one of `explicitHttp1`, `explicitHttp2` and `useDownstream` is set. */
export interface HttpProtocolView {
  readonly common?: object;
  readonly upstream?: object;
  readonly http1: object;
  readonly http2: object;
  readonly explicitHttp1?: true;
  readonly explicitHttp2?: true;
  readonly useDownstream?: true;
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
    http1: http.http10 ? { accept_http_10: true } : {},
    http2: {
      ...(http.maxConcurrentStreams === undefined ? {} : { max_concurrent_streams: http.maxConcurrentStreams }),
      override_stream_error_on_invalid_http_message: true,
    },
    ...codec(http.protocol),
  };
}

function codec(protocol: ClusterIR['http']['protocol']): Partial<HttpProtocolView> {
  if (protocol === 'http2') return { explicitHttp2: true };
  return protocol === 'downstream' ? { useDownstream: true } : { explicitHttp1: true };
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
