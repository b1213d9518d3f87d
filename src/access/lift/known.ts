import { core, jwt, listener, manager, matcher, rbac, route, tls } from './packages.ts';
import { unmodelledFields } from './unmodelled.ts';

/**
 * Effect of a field of Envoy's configuration on the result of a request: `decides` is read by the lift; `inert` never changes
 * the kind of result, as long as no timeout passes and no certificate is revoked. If an `unmodelled` field is set, the
 * prediction is `unknown`.
 */
export type Bearing = 'decides' | 'inert' | 'unmodelled';

type Row = readonly [decides: string, inert?: string];

/** Fields by message, in the words of Envoy's API: names separated by blanks. */
const rows: Readonly<Record<string, Row>> = {
  [`${matcher}.StringMatcher`]: ['exact prefix suffix contains safe_regex ignore_case'],
  [`${matcher}.RegexMatcher`]: ['regex', 'google_re2'],
  [`${matcher}.PathMatcher`]: ['path'],
  [`${matcher}.ValueMatcher`]: ['double_match string_match present_match list_match or_match'],
  [`${matcher}.DoubleMatcher`]: ['range exact'],
  [`${matcher}.ListMatcher`]: ['one_of'],
  [`${matcher}.OrMatcher`]: ['value_matchers'],
  [`${matcher}.MetadataMatcher`]: ['filter path value'],
  [`${matcher}.MetadataMatcher.PathSegment`]: ['key'],
  'envoy.type.v3.DoubleRange': ['start end'],
  [`${core}.CidrRange`]: ['address_prefix prefix_len'],
  [`${core}.TypedExtensionConfig`]: ['typed_config', 'name'],
  [`${route}.HeaderMatcher`]: ['name present_match string_match invert_match treat_missing_header_as_empty'],
  [`${route}.QueryParameterMatcher`]: ['name present_match string_match'],
  [`${rbac}.RBAC`]: ['action policies'],
  [`${rbac}.Policy`]: ['permissions principals'],
  [`${rbac}.Permission`]: [
    'and_rules or_rules not_rule any header url_path uri_template destination_ip destination_port requested_server_name ' +
      'sourced_metadata',
  ],
  [`${rbac}.Permission.Set`]: ['rules'],
  [`${rbac}.Principal`]: ['and_ids or_ids not_id any header direct_remote_ip remote_ip sourced_metadata custom'],
  [`${rbac}.Principal.Set`]: ['ids'],
  [`${rbac}.SourcedMetadata`]: ['metadata_matcher'],
  'envoy.extensions.rbac.principals.mtls_authenticated.v3.Config': ['san_matcher any_validated_client_certificate'],
  'envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher': ['san_type matcher'],
  'envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig': ['path_template'],
  'envoy.extensions.filters.http.rbac.v3.RBAC': ['rules shadow_rules shadow_rules_stat_prefix'],
  'envoy.extensions.filters.network.rbac.v3.RBAC': ['rules shadow_rules shadow_rules_stat_prefix', 'stat_prefix'],
  [`${jwt}.JwtAuthentication`]: ['providers rules bypass_cors_preflight', 'strip_failure_response'],
  [`${jwt}.RequirementRule`]: ['match requires'],
  [`${jwt}.JwtRequirement`]: ['provider_name requires_any allow_missing'],
  [`${jwt}.JwtRequirementOrList`]: ['requirements'],
  [`${jwt}.JwtProvider`]: [
    'issuer audiences local_jwks from_headers from_params from_cookies payload_in_metadata header_in_metadata ' +
      'normalize_payload_in_metadata clock_skew_seconds forward claim_to_headers forward_payload_header ' +
      'pad_forward_payload_header',
  ],
  [`${jwt}.JwtProvider.NormalizePayload`]: ['space_delimited_claims'],
  [`${jwt}.JwtHeader`]: ['name value_prefix'],
  [`${jwt}.JwtClaimToHeader`]: ['header_name claim_name'],
  [`${core}.DataSource`]: ['inline_string'],
  [`${listener}.FilterChainMatch`]: [
    'destination_port prefix_ranges source_prefix_ranges server_names transport_protocol application_protocols',
  ],
  [`${route}.RouteConfiguration`]: [
    'name virtual_hosts ignore_port_in_host_matching request_headers_to_remove most_specific_header_mutations_wins',
    'validate_clusters max_direct_response_body_size_bytes',
  ],
  [`${route}.VirtualHost`]: ['name domains routes include_request_attempt_count'],
  [`${route}.Route`]: [
    'name match route redirect direct_response typed_per_filter_config request_headers_to_add request_headers_to_remove',
    'stat_prefix response_headers_to_add response_headers_to_remove',
  ],
  [`${route}.RouteMatch`]: ['prefix path safe_regex case_sensitive headers query_parameters'],
  [`${route}.RouteAction`]: [
    'cluster weighted_clusters prefix_rewrite regex_rewrite host_rewrite_literal',
    'timeout retry_policy hash_policy request_mirror_policies max_stream_duration',
  ],
  [`${route}.WeightedCluster`]: ['clusters'],
  [`${route}.WeightedCluster.ClusterWeight`]: [
    'name weight host_rewrite_literal request_headers_to_add request_headers_to_remove',
    'response_headers_to_add response_headers_to_remove',
  ],
  [`${core}.HeaderValueOption`]: ['header append_action keep_empty_value'],
  [`${core}.HeaderValue`]: ['key value'],
  [`${matcher}.RegexMatchAndSubstitute`]: ['pattern substitution'],
  'envoy.extensions.filters.http.cors.v3.Cors': [''],
  'envoy.extensions.filters.http.cors.v3.CorsPolicy': [
    'allow_origin_string_match forward_not_matching_preflights filter_enabled',
    'allow_methods allow_headers expose_headers max_age allow_credentials',
  ],
  [`${core}.RuntimeFractionalPercent`]: ['default_value'],
  'envoy.type.v3.FractionalPercent': ['numerator denominator'],
  'envoy.extensions.filters.http.fault.v3.HTTPFault': ['abort', 'delay'],
  'envoy.extensions.filters.http.fault.v3.FaultAbort': ['http_status grpc_status percentage'],
  'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz': [
    'stat_prefix filter_enabled_metadata failure_mode_allow status_on_error',
    'transport_api_version grpc_service http_service metadata_context_namespaces clear_route_cache with_request_body ' +
      'allowed_headers',
  ],
  'envoy.type.v3.HttpStatus': ['code'],
  'envoy.extensions.filters.network.ext_authz.v3.ExtAuthz': [
    'stat_prefix filter_enabled_metadata failure_mode_allow',
    'transport_api_version grpc_service',
  ],
  'envoy.extensions.filters.network.sni_cluster.v3.SniCluster': [''],
  [`${route}.RedirectAction`]: [
    'response_code',
    'https_redirect scheme_redirect host_redirect port_redirect path_redirect',
  ],
  [`${route}.DirectResponseAction`]: ['status', 'body'],
  [`${listener}.Listener`]: [
    'name address additional_addresses listener_filters filter_chains default_filter_chain bind_to_port ' +
      'use_original_dst traffic_direction',
    'transparent listener_filters_timeout continue_on_listener_filters_timeout access_log ' +
      'per_connection_buffer_limit_bytes',
  ],
  [`${listener}.AdditionalAddress`]: ['address'],
  [`${listener}.ListenerFilter`]: ['name typed_config filter_disabled'],
  [`${listener}.ListenerFilterChainMatchPredicate`]: ['destination_port_range or_match'],
  [`${listener}.ListenerFilterChainMatchPredicate.MatchSet`]: ['rules'],
  'envoy.type.v3.Int32Range': ['start end'],
  'envoy.extensions.filters.listener.original_dst.v3.OriginalDst': [''],
  'envoy.extensions.filters.listener.original_src.v3.OriginalSrc': ['', 'mark'],
  'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector': [''],
  'envoy.extensions.filters.listener.http_inspector.v3.HttpInspector': [''],
  [`${listener}.FilterChain`]: ['name filter_chain_match transport_socket filters', 'transport_socket_connect_timeout'],
  [`${listener}.Filter`]: ['name typed_config'],
  [`${core}.TransportSocket`]: ['typed_config', 'name'],
  [`${tls}.DownstreamTlsContext`]: [
    'require_client_certificate common_tls_context',
    'disable_stateless_session_resumption disable_stateful_session_resumption',
  ],
  [`${tls}.CommonTlsContext`]: [
    'combined_validation_context validation_context tls_certificate_sds_secret_configs tls_certificates alpn_protocols',
    'tls_params',
  ],
  [`${tls}.CommonTlsContext.CombinedCertificateValidationContext`]: [
    'default_validation_context validation_context_sds_secret_config',
  ],
  [`${tls}.SdsSecretConfig`]: ['name', 'sds_config'],
  [`${tls}.CertificateValidationContext`]: [
    'match_typed_subject_alt_names verify_certificate_spki verify_certificate_hash',
    'trusted_ca crl only_verify_leaf_cert_crl',
  ],
  [`${tls}.UpstreamTlsContext`]: ['sni common_tls_context'],
  'envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer': [''],
  'envoy.config.cluster.v3.Cluster': [
    'name type cluster_type load_assignment transport_socket transport_socket_matches typed_extension_protocol_options',
    'alt_stat_name connect_timeout circuit_breakers lb_policy upstream_bind_config outlier_detection common_lb_config ' +
      'wait_for_warm_on_init least_request_lb_config maglev_lb_config ring_hash_lb_config round_robin_lb_config ' +
      'upstream_connection_options per_connection_buffer_limit_bytes dns_lookup_family respect_dns_ttl dns_refresh_rate',
  ],
  'envoy.config.cluster.v3.Cluster.CustomClusterType': ['typed_config', 'name'],
  'envoy.extensions.clusters.dns.v3.DnsCluster': [
    '',
    'dns_refresh_rate dns_lookup_family respect_dns_ttl all_addresses_in_single_endpoint',
  ],
  'envoy.config.cluster.v3.Cluster.TransportSocketMatch': ['match transport_socket', 'name'],
  'envoy.config.endpoint.v3.ClusterLoadAssignment': ['endpoints', 'cluster_name'],
  'envoy.config.endpoint.v3.LocalityLbEndpoints': ['lb_endpoints', 'locality load_balancing_weight priority'],
  'envoy.config.endpoint.v3.LbEndpoint': ['endpoint metadata', 'load_balancing_weight'],
  'envoy.config.endpoint.v3.Endpoint': ['address', 'hostname'],
  [`${core}.Address`]: ['socket_address pipe'],
  [`${core}.Pipe`]: ['path'],
  [`${core}.SocketAddress`]: ['address port_value'],
  [`${core}.Metadata`]: ['filter_metadata'],
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': [
    'explicit_http_config use_downstream_protocol_config',
    'common_http_protocol_options upstream_http_protocol_options',
  ],
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig': [
    'http_protocol_options http2_protocol_options',
  ],
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy': [
    'cluster weighted_clusters',
    'stat_prefix idle_timeout max_downstream_connection_duration hash_policy access_log',
  ],
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster': ['clusters'],
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.ClusterWeight': ['name weight'],
  'envoy.extensions.filters.http.router.v3.Router': ['suppress_envoy_headers'],
  'envoy.extensions.filters.http.grpc_web.v3.GrpcWeb': [''],
  'envoy.extensions.filters.http.set_filter_state.v3.Config': ['on_request_headers'],
  'envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue': ['object_key format_string'],
  [`${core}.SubstitutionFormatString`]: ['text_format_source'],
  [`${manager}.HttpFilter`]: ['name typed_config'],
  [`${manager}.Rds`]: ['route_config_name', 'config_source'],
  [`${manager}.LocalReplyConfig`]: ['mappers'],
  [`${manager}.ResponseMapper`]: ['filter status_code', 'headers_to_add'],
  'envoy.config.accesslog.v3.AccessLogFilter': ['extension_filter status_code_filter'],
  'envoy.config.accesslog.v3.StatusCodeFilter': ['comparison'],
  'envoy.config.accesslog.v3.ComparisonFilter': ['op value'],
  [`${core}.RuntimeUInt32`]: ['default_value', 'runtime_key'],
  'envoy.config.accesslog.v3.ExtensionFilter': ['typed_config', 'name'],
  'envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter': ['expression'],
  [`${core}.HttpProtocolOptions`]: [
    'headers_with_underscores_action max_headers_count',
    'idle_timeout max_connection_duration max_requests_per_connection',
  ],
  [`${manager}.HttpConnectionManager.UpgradeConfig`]: ['upgrade_type'],
  [`${manager}.HttpConnectionManager`]: [
    'rds route_config http_filters normalize_path merge_slashes path_with_escaped_slashes_action strip_any_host_port ' +
      'strip_trailing_host_dot use_remote_address xff_num_trusted_hops forward_client_cert_details ' +
      'set_current_client_cert_details local_reply_config upgrade_configs codec_type common_http_protocol_options ' +
      'http_protocol_options http2_protocol_options max_request_headers_kb tracing',
    'stat_prefix server_name access_log stream_idle_timeout request_headers_timeout request_timeout ' +
      'server_header_transformation',
  ],
};

const table: ReadonlyMap<string, ReadonlyMap<string, Bearing>> = new Map(
  Object.entries(rows).map(([type, [decides, inert = '']]) => [
    type,
    new Map<string, Bearing>([
      ...words(decides).map((field) => [field, 'decides'] as const),
      ...words(inert).map((field) => [field, 'inert'] as const),
      ...words(unmodelledFields[type] ?? '').map((field) => [field, 'unmodelled'] as const),
    ]),
  ]),
);

/** Undefined: the message has no rows, or this Envoy's API has no such field. */
export function bearingOf(type: string, field: string): Bearing | undefined {
  return table.get(type)?.get(field);
}

/** Messages that have rows, with their fields, for tests that hold the table against Envoy's schema. */
export function knownFields(): ReadonlyMap<string, ReadonlyMap<string, Bearing>> {
  return table;
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
