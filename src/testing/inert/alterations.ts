type Json = Readonly<Record<string, unknown>>;

/** Another value of a field, by its value in the configuration; undefined: the field is left out. */
type Other = (old: unknown, message: Json) => unknown;

const to =
  (value: unknown): Other =>
  () =>
    value;
const flipped: Other = (old) => old !== true;
const logged: Other = (old) => [...((old as readonly unknown[] | undefined) ?? []), otherLog];
const header = [{ header: { key: 'x-other', value: 'other' } }];
const otherLog = {
  name: 'other',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
    path: 'other.log',
  },
};

/** Name of a cluster that every configuration has beside its own. */
export const spareCluster = 'spare';

/** Stands for the folder of the files that altered configurations name. */
export const filesFolder = '@files@';

const httpService = {
  server_uri: { uri: 'http://other.test', cluster: spareCluster, timeout: '9s' },
  path_prefix: '/other',
};
const grpcService = { envoy_grpc: { cluster_name: spareCluster, authority: 'other.test' }, timeout: '9s' };

/** A field that decides: another value of it has to change answers. */
export const deciding = { type: 'envoy.config.rbac.v3.RBAC', field: 'action' } as const;

/** By message, and by field that is called inert, another value of the field. What a value needs beside it stands in `beside`. */
export const alterations: Readonly<Record<string, Readonly<Record<string, Other>>>> = {
  [deciding.type]: { [deciding.field]: (old) => (old === 'DENY' ? 'ALLOW' : 'DENY') },
  'envoy.type.matcher.v3.RegexMatcher': { google_re2: (old) => (old === undefined ? {} : undefined) },
  'envoy.config.core.v3.TypedExtensionConfig': { name: to('other') },
  'envoy.extensions.filters.network.rbac.v3.RBAC': { stat_prefix: to('other.') },
  'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication': { strip_failure_response: flipped },
  'envoy.config.route.v3.RouteConfiguration': {
    validate_clusters: flipped,
    max_direct_response_body_size_bytes: to(8192),
  },
  'envoy.config.route.v3.Route': {
    stat_prefix: to('other'),
    response_headers_to_add: to(header),
    response_headers_to_remove: to(['server', 'date']),
  },
  'envoy.config.route.v3.RouteAction': {
    timeout: to('40s'),
    retry_policy: to({ retry_on: 'connect-failure,refused-stream', num_retries: 4 }),
    hash_policy: to([{ header: { header_name: 'x-team' } }, { connection_properties: { source_ip: true } }]),
    request_mirror_policies: to([{ cluster: spareCluster }]),
    max_stream_duration: to({ max_stream_duration: '50s' }),
  },
  'envoy.config.route.v3.WeightedCluster.ClusterWeight': {
    response_headers_to_add: to(header),
    response_headers_to_remove: to(['server', 'date']),
  },
  'envoy.extensions.filters.http.cors.v3.CorsPolicy': {
    allow_methods: to('PATCH'),
    allow_headers: to('x-other'),
    expose_headers: to('x-other'),
    max_age: to('77'),
    allow_credentials: flipped,
  },
  'envoy.extensions.filters.http.fault.v3.HTTPFault': {
    delay: to({ fixed_delay: '0.003s', percentage: { numerator: 100 } }),
  },
  'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz': {
    transport_api_version: (old) => (old === 'V3' ? undefined : 'V3'),
    http_service: (old) => (old === undefined ? undefined : httpService),
    grpc_service: (old) => (old === undefined ? undefined : grpcService),
    metadata_context_namespaces: to(['other']),
    clear_route_cache: flipped,
    with_request_body: to({ max_request_bytes: 4096, allow_partial_message: true }),
    allowed_headers: to({ patterns: [{ prefix: 'x-' }] }),
  },
  'envoy.extensions.filters.network.ext_authz.v3.ExtAuthz': {
    transport_api_version: (old) => (old === 'V3' ? undefined : 'V3'),
    grpc_service: to(grpcService),
  },
  'envoy.config.route.v3.RedirectAction': {
    https_redirect: flipped,
    scheme_redirect: (old) => (old === 'https' ? 'http' : 'https'),
    host_redirect: to('other.test'),
    port_redirect: to(8444),
    path_redirect: to('/other'),
  },
  'envoy.config.route.v3.DirectResponseAction': { body: to({ inline_string: 'other' }) },
  'envoy.config.listener.v3.Listener': {
    transparent: flipped,
    listener_filters_timeout: to('200s'),
    continue_on_listener_filters_timeout: flipped,
    access_log: logged,
    per_connection_buffer_limit_bytes: to(65_536),
  },
  'envoy.extensions.filters.listener.original_src.v3.OriginalSrc': { mark: to(1338) },
  'envoy.config.listener.v3.FilterChain': { transport_socket_connect_timeout: to('100s') },
  'envoy.config.core.v3.TransportSocket': { name: to('other') },
  'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext': {
    disable_stateless_session_resumption: flipped,
    disable_stateful_session_resumption: flipped,
  },
  'envoy.extensions.transport_sockets.tls.v3.CommonTlsContext': {
    tls_params: (old) => ({
      ...(old as Json | undefined),
      tls_minimum_protocol_version: 'TLSv1_3',
      ecdh_curves: ['P-256'],
    }),
  },
  'envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig': {
    sds_config: (_, { name }) => ({ path_config_source: { path: `${filesFolder}/${String(name)}.json` } }),
  },
  'envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext': {
    trusted_ca: (old) => (old === undefined ? undefined : { filename: `${filesFolder}/root.pem` }),
    crl: (_, { trusted_ca }) => (trusted_ca === undefined ? undefined : { filename: `${filesFolder}/crl.pem` }),
    only_verify_leaf_cert_crl: flipped,
  },
  'envoy.config.cluster.v3.Cluster': {
    alt_stat_name: to('other'),
    connect_timeout: to('7s'),
    circuit_breakers: to({ thresholds: [{ max_connections: 4096, max_pending_requests: 4096, max_requests: 4096 }] }),
    lb_policy: (old) => (old === 'RANDOM' ? 'ROUND_ROBIN' : 'RANDOM'),
    upstream_bind_config: to({ source_address: { address: '127.0.0.1', port_value: 0 } }),
    outlier_detection: to({ consecutive_5xx: 50 }),
    common_lb_config: to({ healthy_panic_threshold: { value: 10 } }),
    wait_for_warm_on_init: to(false),
    least_request_lb_config: to({ choice_count: 3 }),
    maglev_lb_config: to({ table_size: 251 }),
    ring_hash_lb_config: to({ minimum_ring_size: 64 }),
    round_robin_lb_config: to({ slow_start_config: { slow_start_window: '1s' } }),
    upstream_connection_options: to({ tcp_keepalive: { keepalive_probes: 3 } }),
    per_connection_buffer_limit_bytes: to(65_536),
    dns_lookup_family: to('V4_ONLY'),
    respect_dns_ttl: flipped,
    dns_refresh_rate: to('9s'),
  },
  'envoy.config.cluster.v3.Cluster.CustomClusterType': { name: to('other') },
  'envoy.extensions.clusters.dns.v3.DnsCluster': {
    dns_refresh_rate: to('9s'),
    dns_lookup_family: to('V4_ONLY'),
    respect_dns_ttl: flipped,
    all_addresses_in_single_endpoint: flipped,
  },
  'envoy.config.cluster.v3.Cluster.TransportSocketMatch': { name: to('other') },
  'envoy.config.endpoint.v3.ClusterLoadAssignment': { cluster_name: to('other') },
  'envoy.config.endpoint.v3.LocalityLbEndpoints': {
    locality: (_, { priority }) => ({ zone: `other-${String(priority ?? 0)}` }),
    load_balancing_weight: to(5),
    priority: (old, { locality }) => ((locality as Json | undefined)?.zone === 'second' ? (old === 1 ? 0 : 1) : old),
  },
  'envoy.config.endpoint.v3.LbEndpoint': { load_balancing_weight: to(3) },
  'envoy.config.endpoint.v3.Endpoint': { hostname: to('other.test') },
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
    common_http_protocol_options: to({ idle_timeout: '100s' }),
    upstream_http_protocol_options: to({ auto_sni: true }),
  },
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy': {
    stat_prefix: to('other'),
    idle_timeout: to('100s'),
    max_downstream_connection_duration: to('200s'),
    hash_policy: to([{ source_ip: {} }]),
    access_log: logged,
  },
  'envoy.extensions.filters.network.http_connection_manager.v3.Rds': {
    config_source: to({ path_config_source: { path: filesFolder } }),
  },
  'envoy.extensions.filters.network.http_connection_manager.v3.ResponseMapper': { headers_to_add: to(header) },
  'envoy.config.core.v3.RuntimeUInt32': { runtime_key: to('other') },
  'envoy.config.accesslog.v3.ExtensionFilter': { name: to('other') },
  'envoy.config.core.v3.HttpProtocolOptions': {
    idle_timeout: to('100s'),
    max_connection_duration: to('200s'),
    max_requests_per_connection: to(1000),
  },
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager': {
    stat_prefix: to('other'),
    server_name: to('other'),
    access_log: logged,
    stream_idle_timeout: to('100s'),
    request_headers_timeout: to('100s'),
    request_timeout: to('100s'),
    server_header_transformation: (old) => (old === 'PASS_THROUGH' ? 'APPEND_IF_ABSENT' : 'PASS_THROUGH'),
  },
};

/** Fields that a value needs to have, or that must not stand beside it, by message and field. */
export const beside: Readonly<Record<string, Json>> = {
  'envoy.config.route.v3.RedirectAction.scheme_redirect': { https_redirect: undefined },
  'envoy.config.route.v3.RedirectAction.https_redirect': { scheme_redirect: undefined },
  'envoy.config.cluster.v3.Cluster.least_request_lb_config': { lb_policy: 'LEAST_REQUEST' },
  'envoy.config.cluster.v3.Cluster.maglev_lb_config': { lb_policy: 'MAGLEV' },
  'envoy.config.cluster.v3.Cluster.ring_hash_lb_config': { lb_policy: 'RING_HASH' },
};
