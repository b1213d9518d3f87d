import { echoCluster } from '../../gauge/echo.ts';

type Json = Readonly<Record<string, unknown>>;

const types = 'type.googleapis.com/envoy.extensions';

/** Port of the echo on loopback, beside its socket. */
const echoPort = 19_999;

/** The echo listener once more, on a port. */
export function echoOnPort(echo: Json): Json {
  return { ...echo, name: 'echo-port', address: socketAddress };
}

const socketAddress = { socket_address: { address: '127.0.0.1', port_value: echoPort } };

/**
 * A cluster that has every message that a compiled cluster may have, with the echo as both of its endpoints. Every other one
 * finds it by a name server's answer.
 */
export function fullCluster(name: string, byName: boolean): Json {
  const endpoint = (zone: string): object => ({
    locality: { zone },
    lb_endpoints: [{ endpoint: { address: socketAddress } }],
  });
  const { type: _type, ...rest } = echoCluster(name) as Json;
  const dns = {
    cluster_type: { name: 'envoy.clusters.dns', typed_config: { '@type': `${types}.clusters.dns.v3.DnsCluster` } },
  };
  const raw = { '@type': `${types}.transport_sockets.raw_buffer.v3.RawBuffer` };
  return {
    ...rest,
    ...(byName ? dns : { type: 'STATIC' }),
    load_assignment: {
      cluster_name: name,
      endpoints: byName ? [endpoint('first')] : [endpoint('first'), endpoint('second')],
    },
    transport_socket_matches: [{ name: 'raw', match: {}, transport_socket: { name: 'raw', typed_config: raw } }],
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': `${types}.upstreams.http.v3.HttpProtocolOptions`,
        explicit_http_config: { http_protocol_options: {} },
      },
    },
  };
}

/** External authorizers of requests that are the echo: over HTTP it allows all, as a service of gRPC it is away. */
export function requestAuthorizers(cluster: string): readonly Json[] {
  const services = {
    http: { http_service: { server_uri: { uri: 'http://echo.test', cluster, timeout: '10s' } } },
    grpc: { grpc_service: { envoy_grpc: { cluster_name: cluster }, timeout: '10s' } },
  };
  return Object.entries(services).map(([name, service]) => ({
    name: `authorizer-${name}`,
    typed_config: {
      '@type': `${types}.filters.http.ext_authz.v3.ExtAuthz`,
      stat_prefix: name,
      failure_mode_allow: true,
      ...service,
    },
  }));
}

/** An answer that never comes gets another status. */
export const statusMapper: Json = {
  filter: { status_code_filter: { comparison: { op: 'EQ', value: { default_value: 599, runtime_key: 'never' } } } },
  status_code: 598,
};

/** One of connections that is away. */
export function connectionAuthorizer(cluster: string): Json {
  return {
    name: 'authorizer',
    typed_config: {
      '@type': `${types}.filters.network.ext_authz.v3.ExtAuthz`,
      stat_prefix: 'authorizer',
      failure_mode_allow: true,
      grpc_service: { envoy_grpc: { cluster_name: cluster }, timeout: '10s' },
    },
  };
}

/** Takes the client's address to the upstream. */
export const originalSource: Json = {
  name: 'original source',
  typed_config: { '@type': `${types}.filters.listener.original_src.v3.OriginalSrc`, mark: 1337 },
};
