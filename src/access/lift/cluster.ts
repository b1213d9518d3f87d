import type { Fragment } from '../../envoy/api/fragment.ts';
import type { StringMatch } from '../model/string-match.ts';
import { Gaps, Message } from './message.ts';
import { liftPeer, type Root } from './tls.ts';

/** TLS settings of a proxy's connection to an endpoint. */
export interface UpstreamTls {
  readonly serverName: string;
  readonly alpn: readonly string[];
  /** Whether it shows the workload's own certificate. */
  readonly hasCertificate: boolean;
  /** Who signs the server's certificate; undefined: any is accepted. */
  readonly root: Root | undefined;
  /** One URI SAN of the server's certificate must be one of these; empty: any that the root has signed. */
  readonly identities: readonly StringMatch[];
}

export interface Endpoint {
  /** IP address or host name, or the path of a Unix socket, with port 0. */
  readonly address: string;
  readonly port: number;
  /** What the cluster's transport sockets are chosen by. */
  readonly labels: Readonly<Record<string, unknown>>;
}

/** How a cluster speaks to the endpoints that have these labels; without `tls` in plaintext. */
export interface TransportSocket {
  readonly labels: Readonly<Record<string, unknown>>;
  readonly tls: UpstreamTls | undefined;
}

/** Endpoints of a cluster, and how the proxy connects to them. */
export interface Cluster {
  readonly name: string;
  /** `original`: to where the client's connection went. */
  readonly kind: 'endpoints' | 'original';
  readonly endpoints: readonly Endpoint[];
  /** The first that fits counts. */
  readonly sockets: readonly TransportSocket[];
  readonly protocol: 'http/1.1' | 'h2' | 'as the client';
  readonly at: Fragment;
  readonly gap: string | undefined;
}

const cluster = 'envoy.config.cluster.v3';
const endpoint = 'envoy.config.endpoint.v3';
const tlsTypes = 'envoy.extensions.transport_sockets.tls.v3';
const http = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/** Envoy's `Cluster`. */
export function liftCluster(fragment: Fragment): Cluster {
  const message = new Message(`${cluster}.Cluster`, fragment, new Gaps());
  const custom = message.message('cluster_type', `${cluster}.Cluster.CustomClusterType`).any('typed_config');
  if (message.has('cluster_type') && custom?.type !== 'envoy.extensions.clusters.dns.v3.DnsCluster') {
    message.refuse('cluster_type');
  }
  const sockets = message
    .messages('transport_socket_matches', `${cluster}.Cluster.TransportSocketMatch`)
    .map((match) => ({
      labels: match.struct('match'),
      tls: liftSocket(match),
    }));
  return {
    name: message.text('name'),
    kind: message.text('type') === 'ORIGINAL_DST' ? 'original' : 'endpoints',
    endpoints: message
      .message('load_assignment', `${endpoint}.ClusterLoadAssignment`)
      .messages('endpoints', `${endpoint}.LocalityLbEndpoints`)
      .flatMap((locality) => locality.messages('lb_endpoints', `${endpoint}.LbEndpoint`).map(liftEndpoint)),
    sockets: [...sockets, { labels: {}, tls: liftSocket(message) }],
    protocol: liftProtocol(message),
    at: fragment,
    gap: message.gaps.first,
  };
}

function liftEndpoint(message: Message): Endpoint {
  const address = message
    .message('endpoint', `${endpoint}.Endpoint`)
    .message('address', 'envoy.config.core.v3.Address');
  const socket = address.message('socket_address', 'envoy.config.core.v3.SocketAddress');
  const pipe = address.message('pipe', 'envoy.config.core.v3.Pipe');
  const metadata = message.message('metadata', 'envoy.config.core.v3.Metadata').struct('filter_metadata');
  const labels = metadata['envoy.transport_socket_match'];
  return {
    address: address.has('pipe') ? pipe.text('path') : socket.text('address'),
    port: socket.number('port_value') ?? 0,
    labels: typeof labels === 'object' && labels !== null ? { ...labels } : {},
  };
}

function liftSocket(message: Message): UpstreamTls | undefined {
  const config = message.message('transport_socket', 'envoy.config.core.v3.TransportSocket').any('typed_config');
  if (config === undefined || config.type === 'envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer') {
    return undefined;
  }
  if (config.type !== `${tlsTypes}.UpstreamTlsContext`) {
    message.refuse('transport_socket');
    return undefined;
  }
  const common = config.message('common_tls_context', `${tlsTypes}.CommonTlsContext`);
  return {
    serverName: config.text('sni'),
    alpn: common.texts('alpn_protocols'),
    hasCertificate: common
      .messages('tls_certificate_sds_secret_configs', `${tlsTypes}.SdsSecretConfig`)
      .some((secret) => secret.text('name') === 'default'),
    ...liftPeer(common),
  };
}

function liftProtocol(message: Message): Cluster['protocol'] {
  const [options] = message.entries('typed_extension_protocol_options', http);
  if (options === undefined) return 'http/1.1';
  const [, config] = options;
  if (config.has('use_downstream_protocol_config')) return 'as the client';
  const explicit = config.message('explicit_http_config', `${http}.ExplicitHttpConfig`);
  return explicit.has('http2_protocol_options') ? 'h2' : 'http/1.1';
}
