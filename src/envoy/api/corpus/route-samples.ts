/** A route table with every matcher and action that this product emits. */
export function routeConfiguration(): object {
  return {
    name: '8000',
    validate_clusters: true,
    ignore_port_in_host_matching: true,
    max_direct_response_body_size_bytes: 4096,
    request_headers_to_add: [
      { header: { key: 'x-mesh', value: '1' }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD', keep_empty_value: false },
    ],
    response_headers_to_remove: ['x-internal'],
    virtual_hosts: [
      {
        name: 'httpbin.default.svc.cluster.local:8000',
        domains: ['httpbin', 'httpbin.default', '*.httpbin.local'],
        include_request_attempt_count: true,
        routes: [...plainRoutes(), weightedRoute()],
        retry_policy: retryPolicy(),
        rate_limits: [{ stage: 1, actions: [{ remote_address: {} }, { generic_key: { descriptor_value: 'a' } }] }],
      },
      {
        name: 'rest',
        domains: ['*'],
        require_tls: 'NONE',
        routes: [{ match: { prefix: '/' }, route: { cluster: 'dns' } }],
      },
    ],
  };
}

function plainRoutes(): object[] {
  const cluster = 'outbound|8000||httpbin.default.svc.cluster.local';
  return [
    {
      name: 'exact',
      match: {
        path: '/exact',
        case_sensitive: true,
        headers: [
          { name: 'x-a', string_match: { exact: 'a' }, invert_match: true },
          { name: 'x-n', range_match: { start: '1', end: '10' } },
        ],
        query_parameters: [{ name: 'q', string_match: { contains: 'x' } }],
        runtime_fraction: { default_value: { numerator: 50, denominator: 'TEN_THOUSAND' }, runtime_key: 'f' },
      },
      direct_response: { status: 200, body: { inline_string: 'ok' } },
    },
    {
      match: { path_separated_prefix: '/api' },
      redirect: { https_redirect: true, port_redirect: 8443, response_code: 'PERMANENT_REDIRECT', path_redirect: '/x' },
    },
    {
      match: { safe_regex: { regex: '/v[0-9]+/.*' } },
      route: {
        cluster,
        regex_rewrite: { pattern: { regex: '^/v[0-9]+' }, substitution: '/v' },
        timeout: '15s',
        idle_timeout: '0s',
        retry_policy: retryPolicy(),
        hash_policy: [
          { header: { header_name: 'x-user' }, terminal: true },
          { cookie: { name: 'c', ttl: '60s', path: '/' } },
        ],
        request_mirror_policies: [
          { cluster: 'dns', runtime_fraction: { default_value: { numerator: 5, denominator: 'HUNDRED' } } },
        ],
        max_stream_duration: { max_stream_duration: '30s', grpc_timeout_header_max: '0s' },
        auto_host_rewrite: true,
      },
      typed_per_filter_config: {
        'envoy.filters.http.cors': {
          '@type': 'type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy',
          allow_origin_string_match: [{ exact: 'https://a.example' }],
          allow_methods: 'GET,POST',
          max_age: '600',
        },
      },
      decorator: { operation: 'httpbin:8000/*', propagate: false },
      metadata: { filter_metadata: { mesh: { route: 'v' } } },
    },
  ];
}

function weightedRoute(): object {
  return {
    match: { prefix: '/' },
    route: {
      weighted_clusters: {
        clusters: [
          { name: 'PassthroughCluster', weight: 80, request_headers_to_remove: ['x-a'] },
          { name: 'dns', weight: 20, host_rewrite_literal: 'dns.example' },
        ],
      },
      upgrade_configs: [{ upgrade_type: 'websocket', enabled: true }],
      priority: 'HIGH',
    },
  };
}

function retryPolicy(): object {
  return {
    retry_on: 'connect-failure,refused-stream,unavailable,cancelled',
    num_retries: 2,
    per_try_timeout: '2s',
    retriable_status_codes: [503],
    host_selection_retry_max_attempts: '5',
    retry_back_off: { base_interval: '0.025s', max_interval: '0.25s' },
    retry_host_predicate: [
      {
        name: 'envoy.retry_host_predicates.previous_hosts',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate',
        },
      },
    ],
  };
}
