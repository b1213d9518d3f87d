import { upstreamTls } from './tls-samples.ts';

/** Clusters of each discovery type that this product emits, with circuit breakers, outlier detection and protocol options. */
export function clusterSamples(): object[] {
  return [
    meshCluster(),
    {
      name: 'PassthroughCluster',
      type: 'ORIGINAL_DST',
      lb_policy: 'CLUSTER_PROVIDED',
      connect_timeout: '10s',
      upstream_bind_config: { source_address: { address: '127.0.0.6', port_value: 0 } },
      original_dst_lb_config: { use_http_header: false },
    },
    { name: 'BlackHoleCluster', type: 'STATIC', connect_timeout: '1s' },
    {
      name: 'dns',
      type: 'STRICT_DNS',
      dns_lookup_family: 'V4_ONLY',
      respect_dns_ttl: true,
      dns_refresh_rate: '60s',
      lb_policy: 'RING_HASH',
      ring_hash_lb_config: { minimum_ring_size: 1024, maximum_ring_size: 8192, hash_function: 'XX_HASH' },
      load_assignment: endpoints('dns'),
      common_lb_config: { healthy_panic_threshold: { value: 0 }, locality_weighted_lb_config: {} },
    },
    sdsCluster(),
  ];
}

/** A service's cluster: static endpoints, mutual TLS where the endpoint has a sidecar. */
function meshCluster(): object {
  return {
    name: 'outbound|8000||httpbin.default.svc.cluster.local',
    alt_stat_name: 'outbound_8000_httpbin',
    type: 'STATIC',
    connect_timeout: '10s',
    lb_policy: 'LEAST_REQUEST',
    least_request_lb_config: { choice_count: 2, active_request_bias: { default_value: 1, runtime_key: 'bias' } },
    circuit_breakers: {
      thresholds: [
        {
          priority: 'DEFAULT',
          max_connections: 1024,
          max_pending_requests: 10,
          max_retries: 3,
          track_remaining: true,
        },
      ],
    },
    outlier_detection: {
      consecutive_5xx: 5,
      interval: '10s',
      base_ejection_time: '30s',
      max_ejection_percent: 50,
      enforcing_success_rate: 0,
    },
    health_checks: [
      {
        timeout: '1s',
        interval: '5s',
        unhealthy_threshold: 3,
        healthy_threshold: 1,
        http_health_check: { path: '/healthz', expected_statuses: [{ start: '200', end: '300' }] },
      },
    ],
    load_assignment: endpoints('outbound|8000||httpbin.default.svc.cluster.local'),
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': httpProtocolOptions(),
    },
    transport_socket_matches: [
      {
        name: 'tlsMode-mesh',
        match: { tlsMode: 'mesh' },
        transport_socket: { name: 'envoy.transport_sockets.tls', typed_config: upstreamTls() },
      },
      {
        name: 'tlsMode-disabled',
        match: {},
        transport_socket: {
          name: 'envoy.transport_sockets.raw_buffer',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer' },
        },
      },
    ],
    upstream_connection_options: {
      tcp_keepalive: { keepalive_probes: 3, keepalive_time: 7200, keepalive_interval: 75 },
    },
    metadata: { filter_metadata: { mesh: { services: [{ host: 'httpbin', namespace: 'default' }] } } },
  };
}

/** The cluster of the agent's secret server: HTTP/2 on a Unix socket. */
function sdsCluster(): object {
  return {
    name: 'sds',
    type: 'STATIC',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: { max_concurrent_streams: 100 } },
      },
    },
    load_assignment: {
      cluster_name: 'sds',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: '/tmp/corpus-sds.sock' } } } }] }],
    },
  };
}

function endpoints(name: string): object {
  return {
    cluster_name: name,
    policy: { overprovisioning_factor: 140 },
    endpoints: [
      {
        locality: { region: 'r1', zone: 'z1' },
        priority: 0,
        load_balancing_weight: 2,
        lb_endpoints: ['10.0.0.2', '10.0.0.3'].map((address, index) => ({
          endpoint: { address: { socket_address: { address, port_value: 8000 } }, hostname: `host-${index}` },
          health_status: 'HEALTHY',
          load_balancing_weight: 1,
          metadata: { filter_metadata: { 'envoy.transport_socket_match': { tlsMode: 'mesh' } } },
        })),
      },
    ],
  };
}

function httpProtocolOptions(): object {
  return {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    common_http_protocol_options: { idle_timeout: '300s', max_requests_per_connection: 100, max_headers_count: 100 },
    use_downstream_protocol_config: {
      http_protocol_options: {},
      http2_protocol_options: {
        initial_stream_window_size: 65536,
        connection_keepalive: { interval: '30s', timeout: '5s', interval_jitter: { value: 15 } },
      },
    },
    upstream_http_protocol_options: { auto_sni: false },
  };
}
