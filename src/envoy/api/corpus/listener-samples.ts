import { httpRbac, jwtFilter, networkRbac } from './access-samples.ts';
import { routeConfiguration } from './route-samples.ts';
import { downstreamTls } from './tls-samples.ts';

/** An inbound listener: mutual TLS, detected protocols, JWT and RBAC. */
export function inboundListener(): object {
  return {
    name: 'virtualInbound',
    traffic_direction: 'INBOUND',
    address: { socket_address: { address: '0.0.0.0', port_value: 15006 } },
    listener_filters: [
      typed('envoy.filters.listener.original_dst', 'envoy.extensions.filters.listener.original_dst.v3.OriginalDst'),
      {
        ...typed(
          'envoy.filters.listener.tls_inspector',
          'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector',
        ),
        filter_disabled: { destination_port_range: { start: 15008, end: 15009 } },
      },
      typed(
        'envoy.filters.listener.http_inspector',
        'envoy.extensions.filters.listener.http_inspector.v3.HttpInspector',
      ),
    ],
    listener_filters_timeout: '1s',
    continue_on_listener_filters_timeout: true,
    per_connection_buffer_limit_bytes: 32768,
    filter_chains: [
      {
        name: 'inbound-8000-tls',
        filter_chain_match: {
          destination_port: 8000,
          transport_protocol: 'tls',
          application_protocols: ['mesh', 'h2'],
          prefix_ranges: [{ address_prefix: '10.0.0.1', prefix_len: 32 }],
        },
        transport_socket: { name: 'envoy.transport_sockets.tls', typed_config: downstreamTls() },
        transport_socket_connect_timeout: '15s',
        filters: [httpManager([jwtFilter(), httpRbac(), stateFilter(), corsFilter(), faultFilter(), routerFilter()])],
      },
      {
        name: 'inbound-passthrough',
        filter_chain_match: { destination_port: 9000, source_type: 'EXTERNAL' },
        filters: [networkRbac(), networkState(), tcpProxy()],
      },
    ],
    access_log: [accessLog()],
  };
}

/** An outbound listener: one route table, one connection manager. */
export function outboundListener(): object {
  return {
    name: '0.0.0.0_8000',
    traffic_direction: 'OUTBOUND',
    bind_to_port: false,
    address: { socket_address: { address: '0.0.0.0', port_value: 8000 } },
    filter_chains: [{ filters: [httpManager([routerFilter()])] }],
    default_filter_chain: { name: 'rest', filters: [tcpProxy()] },
    socket_options: [{ description: 'keepalive', level: '1', name: '9', int_value: '1', state: 'STATE_PREBIND' }],
  };
}

/** A listener without HTTP. */
export function tcpListener(): object {
  return {
    name: 'tcp',
    use_original_dst: true,
    address: { socket_address: { address: '127.0.0.1', port_value: 15001, protocol: 'TCP' } },
    connection_balance_config: { exact_balance: {} },
    filter_chains: [{ filters: [networkRbac(), tcpProxy()] }],
  };
}

function httpManager(filters: readonly object[]): object {
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      stat_prefix: 'inbound_0.0.0.0_8000',
      codec_type: 'AUTO',
      route_config: routeConfiguration(),
      http_filters: filters,
      server_name: 'mesh',
      use_remote_address: false,
      xff_num_trusted_hops: 1,
      normalize_path: true,
      merge_slashes: true,
      path_with_escaped_slashes_action: 'UNESCAPE_AND_FORWARD',
      forward_client_cert_details: 'SANITIZE_SET',
      set_current_client_cert_details: { subject: true, dns: true, uri: true },
      common_http_protocol_options: { idle_timeout: '3600s', headers_with_underscores_action: 'ALLOW' },
      http_protocol_options: { accept_http_10: true, override_stream_error_on_invalid_http_message: true },
      http2_protocol_options: { max_concurrent_streams: 100, initial_connection_window_size: 1048576 },
      stream_idle_timeout: '0s',
      request_headers_timeout: '10s',
      max_request_headers_kb: 96,
      upgrade_configs: [{ upgrade_type: 'websocket' }],
      access_log: [accessLog()],
      tracing: { client_sampling: { value: 100 }, random_sampling: { value: 1 }, overall_sampling: { value: 100 } },
      local_reply_config: {
        mappers: [
          {
            filter: {
              status_code_filter: { comparison: { op: 'GE', value: { default_value: 500, runtime_key: 'x' } } },
            },
            status_code: 503,
          },
        ],
      },
    },
  };
}

function tcpProxy(): object {
  return {
    name: 'envoy.filters.network.tcp_proxy',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
      stat_prefix: 'PassthroughCluster',
      weighted_clusters: {
        clusters: [
          { name: 'PassthroughCluster', weight: 90 },
          { name: 'BlackHoleCluster', weight: 10 },
        ],
      },
      idle_timeout: '3600s',
      max_connect_attempts: 2,
      hash_policy: [{ source_ip: {} }],
      access_log: [accessLog()],
    },
  };
}

function accessLog(): object {
  return {
    name: 'envoy.access_loggers.file',
    filter: { response_flag_filter: { flags: ['NR', 'UF'] } },
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
      path: '/dev/null',
      log_format: { json_format: { chain: '%FILTER_CHAIN_NAME%', code: '%RESPONSE_CODE%' } },
    },
  };
}

function stateFilter(): object {
  return { ...state('http'), disabled: false };
}

function networkState(): object {
  return state('network');
}

function state(level: 'http' | 'network'): object {
  return {
    name: `envoy.filters.${level}.set_filter_state`,
    typed_config: {
      '@type': `type.googleapis.com/envoy.extensions.filters.${level}.set_filter_state.v3.Config`,
      [level === 'http' ? 'on_request_headers' : 'on_new_connection']: [
        {
          object_key: 'envoy.network.application_protocols',
          shared_with_upstream: 'ONCE',
          format_string: { text_format_source: { inline_string: 'mesh' }, omit_empty_values: true },
        },
      ],
    },
  };
}

function corsFilter(): object {
  return typed('envoy.filters.http.cors', 'envoy.extensions.filters.http.cors.v3.Cors');
}

function faultFilter(): object {
  return typed('envoy.filters.http.fault', 'envoy.extensions.filters.http.fault.v3.HTTPFault', {
    abort: { http_status: 503, percentage: { numerator: 10, denominator: 'HUNDRED' } },
    delay: { fixed_delay: '0.1s', percentage: { numerator: 1, denominator: 'MILLION' } },
  });
}

function routerFilter(): object {
  return typed('envoy.filters.http.router', 'envoy.extensions.filters.http.router.v3.Router', {
    dynamic_stats: true,
    strict_check_headers: ['x-envoy-upstream-rq-timeout-ms'],
  });
}

function typed(name: string, type: string, config: object = {}): object {
  return { name, typed_config: { '@type': `type.googleapis.com/${type}`, ...config } };
}
