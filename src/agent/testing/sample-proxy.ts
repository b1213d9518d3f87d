import { noOrigins } from '../../contracts/origins-file.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import type { Json } from '../../envoy/api/resource-file.ts';
import { fileOf } from '../../testing/resource-files.ts';

/** A small proxy, written by hand: what it answers, where, and how. */
export interface SampleProxy {
  readonly configPath: string;
  readonly adminPort: number;
  /** Inbound HTTP listener, answering by itself from a route file. */
  readonly httpPort: number;
  /** Body of the answers. */
  readonly body: string;
  /** Inbound TLS listener with the workload's certificate. */
  readonly tlsPort?: number;
  /** Added to the HTTP listener, to break it or to change it. */
  readonly listenerExtras?: Json;
  /** Upstream for what follows `/upstream`: a cluster of this name, address (127.0.0.1 when absent) and port. */
  readonly upstream?: { readonly name: string; readonly host?: string; readonly port: number };
  /** A listener of the bootstrap itself. */
  readonly staticPort?: number;
  /** Holds requests to `/slow`, and to `/upstream/slow`, back by so many seconds. */
  readonly slowSeconds?: number;
}

/** The sample as the files that Envoy reads. */
export function sampleFiles(sample: SampleProxy): ProxyFiles {
  const listeners = [
    httpListener(sample),
    ...(sample.tlsPort === undefined ? [] : [tlsListener(sample, sample.tlsPort)]),
  ];
  return {
    bootstrap: bootstrap(sample),
    clusters: fileOf(...(sample.upstream === undefined ? [] : [upstreamCluster(sample.upstream)])),
    listeners: fileOf(...listeners),
    routes: new Map([['app.json', fileOf(routeConfiguration(sample))]]),
    beside: new Map([['origins.json', JSON.stringify(noOrigins)]]),
  };
}

/** A sample whose listener Envoy cannot make: validation lets its address pass, no machine has it (RFC 5737). */
export const unbindable: Partial<SampleProxy> = { listenerExtras: { address: address(80, '192.0.2.1') } };

function bootstrap(sample: SampleProxy): Json {
  const { configPath, adminPort, staticPort } = sample;
  const file = (name: string): Json => ({
    resource_api_version: 'V3',
    initial_fetch_timeout: '0s',
    path_config_source: { path: `${configPath}/${name}`, watched_directory: { path: configPath } },
  });
  return {
    node: { id: 'sidecar~127.0.0.1~app.foo~foo.svc.cluster.local', cluster: 'app' },
    admin: { address: address(adminPort) },
    dynamic_resources: { cds_config: file('clusters.json'), lds_config: file('listeners.json') },
    static_resources: {
      clusters: [sdsCluster(configPath)],
      listeners:
        staticPort === undefined
          ? []
          : [{ ...httpListener({ ...sample, httpPort: staticPort }), name: 'static', '@type': undefined }],
    },
  };
}

function sdsCluster(configPath: string): Json {
  return {
    name: 'sds-grpc',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: {
      cluster_name: 'sds-grpc',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: `${configPath}/SDS` } } } }] }],
    },
  };
}

function httpListener({ configPath, httpPort, listenerExtras = {} }: SampleProxy): Json {
  return {
    '@type': 'type.googleapis.com/envoy.config.listener.v3.Listener',
    name: 'inbound',
    address: address(httpPort),
    traffic_direction: 'INBOUND',
    filter_chains: [{ name: 'http', filters: [connectionManager(configPath)] }],
    ...listenerExtras,
  };
}

function tlsListener({ configPath }: SampleProxy, port: number): Json {
  const secret = (name: string): Json => ({
    name,
    sds_config: {
      resource_api_version: 'V3',
      initial_fetch_timeout: '0s',
      api_config_source: {
        api_type: 'GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: 'sds-grpc' } }],
      },
    },
  });
  const transport_socket = {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
      require_client_certificate: true,
      common_tls_context: {
        tls_certificate_sds_secret_configs: [secret('default')],
        validation_context_sds_secret_config: secret('ROOTCA'),
      },
    },
  };
  return {
    '@type': 'type.googleapis.com/envoy.config.listener.v3.Listener',
    name: 'tls',
    address: address(port),
    traffic_direction: 'INBOUND',
    filter_chains: [{ name: 'tls', transport_socket, filters: [connectionManager(configPath)] }],
  };
}

function connectionManager(configPath: string): Json {
  const routes = `${configPath}/routes`;
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      stat_prefix: 'inbound_app',
      rds: {
        route_config_name: 'app:80',
        config_source: {
          resource_api_version: 'V3',
          initial_fetch_timeout: '0s',
          path_config_source: { path: `${routes}/app.json`, watched_directory: { path: routes } },
        },
      },
      http_filters: [
        {
          name: 'envoy.filters.http.fault',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault' },
        },
        {
          name: 'envoy.filters.http.router',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
        },
      ],
    },
  };
}

function routeConfiguration({ body, upstream, slowSeconds = 0 }: SampleProxy): Json {
  const direct = { direct_response: { status: 200, body: { inline_string: body } } };
  const fault = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault',
    delay: { fixed_delay: `${slowSeconds}s`, percentage: { numerator: 100 } },
  };
  const slow = (path: string, action: Json): readonly Json[] =>
    slowSeconds === 0
      ? []
      : [{ match: { path }, ...action, typed_per_filter_config: { 'envoy.filters.http.fault': fault } }];
  const routes = [
    ...(upstream === undefined ? [] : slow('/upstream/slow', { route: { cluster: upstream.name } })),
    ...(upstream === undefined ? [] : upstreamRoutes(upstream.name)),
    ...slow('/slow', direct),
    { match: { prefix: '/' }, ...direct },
  ];
  return {
    '@type': 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
    name: 'app:80',
    validate_clusters: false,
    virtual_hosts: [{ name: 'all', domains: ['*'], routes }],
  };
}

function upstreamRoutes(cluster: string): readonly Json[] {
  return [
    { match: { path: '/upstream' }, route: { cluster } },
    { match: { prefix: '/upstream/' }, route: { cluster, prefix_rewrite: '/' } },
  ];
}

function upstreamCluster({ name, host, port }: NonNullable<SampleProxy['upstream']>): Json {
  return {
    '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
    name,
    connect_timeout: '1s',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: address(port, host) } }] }],
    },
  };
}

function address(port: number, host = '127.0.0.1'): Json {
  return { socket_address: { address: host, port_value: port } };
}
