type Json = Readonly<Record<string, unknown>>;

const hcm = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ads = { ads: {}, resource_api_version: 'V3', initial_fetch_timeout: '0s' };

const address = (port: number, host = '127.0.0.1'): Json => ({
  socket_address: { address: host, port_value: port },
});

/** A cluster whose endpoints are a resource of their own. */
export const cluster = (name: string, timeout = '1s'): Json => ({
  name,
  type: 'EDS',
  connect_timeout: timeout,
  eds_cluster_config: { eds_config: ads },
});

export const endpoints = (name: string, ...ports: readonly number[]): Json => ({
  cluster_name: name,
  endpoints: [{ lb_endpoints: ports.map((port) => ({ endpoint: { address: address(port) } })) }],
});

export const route = (name: string, to: string): Json => ({
  name,
  virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: to } }] }],
});

/** An HTTP filter that holds each request back for so long. */
const fault = (time: string): Json => ({
  name: 'fault',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault',
    delay: { fixed_delay: time, percentage: { numerator: 100 } },
  },
});

/** An HTTP listener whose requests wait for `time` (`1s`) if that is given; on a host that no machine has (192.0.2.1) Envoy refuses it. */
export const listener = (name: string, port: number, routes: string, host = '127.0.0.1', time?: string): Json => ({
  name,
  address: address(port, host),
  filter_chains: [
    {
      filters: [
        {
          name: 'http',
          typed_config: {
            '@type': hcm,
            stat_prefix: name,
            rds: { route_config_name: routes, config_source: ads },
            http_filters: [
              ...(time === undefined ? [] : [fault(time)]),
              {
                name: 'router',
                typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
              },
            ],
          },
        },
      ],
    },
  ],
});

/** Of an Envoy without an agent, whose control plane serves the socket. */
export const adsBootstrap = (apiType: 'GRPC' | 'DELTA_GRPC', adminPort: number, socket: string): Json => ({
  node: { id: 'sidecar~127.0.0.1~app.foo~foo.svc.cluster.local', cluster: 'app' },
  admin: { address: address(adminPort) },
  dynamic_resources: {
    ads_config: {
      api_type: apiType,
      transport_api_version: 'V3',
      grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }],
      set_node_on_first_message_only: true,
    },
    lds_config: ads,
    cds_config: ads,
  },
  static_resources: {
    clusters: [
      {
        name: 'xds-grpc',
        type: 'STATIC',
        load_assignment: {
          cluster_name: 'xds-grpc',
          endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: socket } } } }] }],
        },
        typed_extension_protocol_options: {
          'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
            '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
            explicit_http_config: { http2_protocol_options: {} },
          },
        },
      },
    ],
  },
});
