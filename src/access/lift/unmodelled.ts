import { core, jwt, listener, manager, matcher, rbac, route, tls } from './packages.ts';

/**
 * The other fields of the messages that the lift reads, by message, in the order of Envoy's API: no prediction understands
 * them. Where one is set, the prediction is `unknown`.
 */
export const unmodelledFields: Readonly<Record<string, string>> = {
  [`${matcher}.StringMatcher`]: 'custom',
  [`${matcher}.ValueMatcher`]: 'null_match bool_match',
  [`${matcher}.MetadataMatcher`]: 'invert',
  [`${route}.HeaderMatcher`]: 'exact_match range_match prefix_match suffix_match safe_regex_match contains_match',
  [`${rbac}.RBAC`]: 'audit_logging_options',
  [`${rbac}.Policy`]: 'condition checked_condition cel_config',
  [`${rbac}.Permission`]: 'metadata destination_port_range matcher',
  [`${rbac}.Principal`]: 'authenticated source_ip metadata url_path filter_state',
  [`${rbac}.SourcedMetadata`]: 'metadata_source',
  [`${tls}.SubjectAltNameMatcher`]: 'oid',
  'envoy.extensions.filters.http.rbac.v3.RBAC': 'matcher shadow_matcher rules_stat_prefix track_per_rule_stats',
  'envoy.extensions.filters.network.rbac.v3.RBAC': 'enforcement_type matcher shadow_matcher delay_deny',
  [`${jwt}.JwtAuthentication`]: 'filter_state_rules requirement_map stat_prefix',
  [`${jwt}.RequirementRule`]: 'requirement_name',
  [`${jwt}.JwtRequirement`]:
    'provider_and_audiences requires_all allow_missing_or_failed extract_only_without_validation',
  [`${jwt}.JwtProvider`]:
    'remote_jwks jwt_cache_config failed_status_in_metadata clear_route_cache subjects require_expiration ' +
    'max_lifetime',
  [`${jwt}.JwtClaimToHeader`]: 'claim_path',
  [`${core}.DataSource`]: 'filename inline_bytes environment_variable watched_directory',
  [`${listener}.FilterChainMatch`]: 'address_suffix suffix_len source_ports source_type direct_source_prefix_ranges',
  [`${route}.RouteConfiguration`]:
    'internal_only_headers response_headers_to_add response_headers_to_remove request_headers_to_add vhds ' +
    'cluster_specifier_plugins request_mirror_policies ignore_path_parameters_in_path_matching ' +
    'typed_per_filter_config metadata vhost_header route_specifiers',
  [`${route}.VirtualHost`]:
    'require_tls virtual_clusters rate_limits request_headers_to_add cors response_headers_to_add ' +
    'response_headers_to_remove request_headers_to_remove typed_per_filter_config retry_policy hedge_policy ' +
    'per_request_buffer_limit_bytes include_attempt_count_in_response retry_policy_typed_config matcher ' +
    'request_mirror_policies include_is_timeout_retry_header metadata request_body_buffer_limit ' +
    'route_specifiers',
  [`${route}.Route`]:
    'metadata decorator tracing per_request_buffer_limit_bytes filter_action non_forwarding_action ' +
    'request_body_buffer_limit route_specifiers',
  [`${route}.RouteMatch`]:
    'grpc runtime_fraction tls_context connect_matcher dynamic_metadata path_separated_prefix ' +
    'path_match_policy filter_state cookies',
  [`${route}.RouteAction`]:
    'cluster_header metadata_match auto_host_rewrite priority rate_limits include_vh_rate_limits cors ' +
    'cluster_not_found_response_code max_grpc_timeout idle_timeout upgrade_configs internal_redirect_action ' +
    'hedge_policy grpc_timeout_offset host_rewrite_header max_internal_redirects retry_policy_typed_config ' +
    'internal_redirect_policy host_rewrite_path_regex cluster_specifier_plugin append_x_forwarded_host ' +
    'inline_cluster_specifier_plugin early_data_policy path_rewrite_policy flush_timeout host_rewrite ' +
    'path_rewrite',
  [`${route}.WeightedCluster`]: 'runtime_key_prefix total_weight header_name use_hash_policy',
  [`${route}.WeightedCluster.ClusterWeight`]: 'metadata_match typed_per_filter_config cluster_header',
  [`${core}.HeaderValueOption`]: 'append',
  [`${core}.HeaderValue`]: 'raw_value',
  'envoy.extensions.filters.http.cors.v3.CorsPolicy': 'shadow_enabled allow_private_network_access',
  [`${core}.RuntimeFractionalPercent`]: 'runtime_key',
  'envoy.extensions.filters.http.fault.v3.HTTPFault':
    'upstream_cluster headers downstream_nodes max_active_faults response_rate_limit delay_percent_runtime ' +
    'abort_percent_runtime delay_duration_runtime abort_http_status_runtime max_active_faults_runtime ' +
    'response_rate_limit_percent_runtime abort_grpc_status_runtime disable_downstream_cluster_stats ' +
    'filter_metadata',
  'envoy.extensions.filters.http.fault.v3.FaultAbort': 'header_abort response_body',
  'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz':
    'filter_enabled include_peer_certificate deny_at_disable bootstrap_metadata_labels_key ' +
    'typed_metadata_context_namespaces include_tls_session failure_mode_allow_header_add ' +
    'charge_cluster_response_stats route_metadata_context_namespaces route_typed_metadata_context_namespaces ' +
    'encode_raw_headers validate_mutations disallowed_headers decoder_header_mutation_rules ' +
    'enable_dynamic_metadata_ingestion filter_metadata emit_filter_state_stats max_denied_response_body_bytes ' +
    'enforce_response_header_limits shadow_mode emit_client_span clear_route_cache_headers',
  'envoy.extensions.filters.network.ext_authz.v3.ExtAuthz':
    'include_peer_certificate bootstrap_metadata_labels_key include_tls_session send_tls_alert_on_denial ' +
    'metadata_context_namespaces typed_metadata_context_namespaces shadow_mode',
  [`${route}.RedirectAction`]: 'prefix_rewrite strip_query regex_rewrite path_rewrite',
  [`${route}.DirectResponseAction`]: 'body_format',
  [`${listener}.Listener`]:
    'metadata deprecated_v1 drain_type freebind tcp_fast_open_queue_length socket_options udp_listener_config ' +
    'api_listener connection_balance_config reuse_port tcp_backlog_size internal_listener stat_prefix ' +
    'enable_reuse_port enable_mptcp ignore_global_conn_limit filter_chain_matcher ' +
    'max_connections_to_accept_per_socket_event bypass_overload_manager fcds_config tcp_keepalive ' +
    'per_connection_buffer_high_watermark_timeout stats_matcher',
  [`${listener}.AdditionalAddress`]: 'socket_options tcp_keepalive',
  [`${listener}.ListenerFilter`]: 'config_discovery',
  [`${listener}.ListenerFilterChainMatchPredicate`]: 'and_match not_match any_match',
  'envoy.extensions.filters.listener.original_src.v3.OriginalSrc': 'bind_port',
  'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector':
    'enable_ja3_fingerprinting initial_read_buffer_size enable_ja4_fingerprinting ' +
    'close_connection_on_client_hello_parsing_errors max_client_hello_size',
  [`${listener}.FilterChain`]: 'use_proxy_proto metadata',
  [`${listener}.Filter`]: 'config_discovery',
  [`${tls}.DownstreamTlsContext`]:
    'require_sni session_ticket_keys session_ticket_keys_sds_secret_config session_timeout ocsp_staple_policy ' +
    'full_scan_certs_on_sni_mismatch prefer_client_ciphers',
  [`${tls}.CommonTlsContext`]:
    'validation_context_sds_secret_config tls_certificate_certificate_provider ' +
    'validation_context_certificate_provider tls_certificate_certificate_provider_instance ' +
    'validation_context_certificate_provider_instance custom_handshaker tls_certificate_provider_instance ' +
    'key_log custom_tls_certificate_selector',
  [`${tls}.CommonTlsContext.CombinedCertificateValidationContext`]:
    'validation_context_certificate_provider validation_context_certificate_provider_instance',
  [`${tls}.CertificateValidationContext`]:
    'require_signed_certificate_timestamp allow_expired_certificate match_subject_alt_names ' +
    'trust_chain_verification watched_directory custom_validator_config ca_certificate_provider_instance ' +
    'max_verify_depth system_root_certs suppress_client_ca_list',
  [`${tls}.UpstreamTlsContext`]:
    'allow_renegotiation max_session_keys enforce_rsa_key_usage auto_host_sni auto_sni_san_validation',
  'envoy.config.cluster.v3.Cluster':
    'eds_cluster_config health_checks max_requests_per_connection http_protocol_options ' +
    'http2_protocol_options dns_resolvers cleanup_interval lb_subset_config metadata protocol_selection ' +
    'common_http_protocol_options close_connections_on_host_health_failure ignore_health_on_host_removal ' +
    'original_dst_lb_config filters load_balancing_policy lrs_server dns_failure_refresh_rate ' +
    'use_tcp_for_dns_lookups upstream_http_protocol_options track_timeout_budgets upstream_config ' +
    'track_cluster_stats preconnect_policy connection_pool_per_downstream_connection dns_resolution_config ' +
    'typed_dns_resolver_config lrs_report_endpoint_metrics dns_jitter transport_socket_matcher ' +
    'per_connection_buffer_high_watermark_timeout stats_matcher queuing_policies',
  'envoy.extensions.clusters.dns.v3.DnsCluster':
    'dns_failure_refresh_rate dns_jitter typed_dns_resolver_config dns_min_refresh_rate',
  'envoy.config.endpoint.v3.ClusterLoadAssignment': 'policy named_endpoints',
  'envoy.config.endpoint.v3.LocalityLbEndpoints':
    'proximity load_balancer_endpoints leds_cluster_locality_config metadata',
  'envoy.config.endpoint.v3.LbEndpoint': 'health_status endpoint_name',
  'envoy.config.endpoint.v3.Endpoint': 'health_check_config additional_addresses observability_name',
  [`${core}.Address`]: 'envoy_internal_address',
  [`${core}.Pipe`]: 'mode',
  [`${core}.SocketAddress`]: 'protocol named_port resolver_name ipv4_compat network_namespace_filepath',
  [`${core}.Metadata`]: 'typed_filter_metadata',
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions':
    'auto_config http_filters header_validation_config outlier_detection request_mirror_policies hash_policy ' +
    'retry_policy',
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig': 'http3_protocol_options',
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy':
    'downstream_idle_timeout upstream_idle_timeout max_connect_attempts metadata_match tunneling_config ' +
    'on_demand access_log_flush_interval flush_access_log_on_connected access_log_options backoff_options ' +
    'proxy_protocol_tlvs max_downstream_connection_duration_jitter_percentage upstream_connect_mode ' +
    'max_early_data_bytes proxy_protocol_tlv_merge_policy check_drain_close',
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.ClusterWeight': 'metadata_match',
  'envoy.extensions.filters.http.router.v3.Router':
    'dynamic_stats start_child_span upstream_log strict_check_headers respect_expected_rq_timeout ' +
    'suppress_grpc_request_failure_code_stats upstream_http_filters upstream_log_options ' +
    'reject_connect_request_early_data',
  'envoy.extensions.filters.http.set_filter_state.v3.Config': 'clear_route_cache',
  'envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue':
    'read_only shared_with_upstream skip_if_empty factory_key',
  [`${core}.SubstitutionFormatString`]:
    'text_format json_format omit_empty_values content_type formatters json_format_options',
  [`${manager}.HttpFilter`]: 'config_discovery is_optional disabled',
  [`${manager}.LocalReplyConfig`]: 'body_format',
  [`${manager}.ResponseMapper`]: 'body body_format_override',
  'envoy.config.accesslog.v3.AccessLogFilter':
    'duration_filter not_health_check_filter traceable_filter runtime_filter and_filter or_filter ' +
    'header_filter response_flag_filter grpc_status_filter metadata_filter log_type_filter',
  'envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter': 'cel_config',
  [`${core}.HttpProtocolOptions`]: 'max_stream_duration max_response_headers_kb max_connection_duration_jitter',
  [`${manager}.HttpConnectionManager.UpgradeConfig`]: 'filters enabled',
  [`${manager}.HttpConnectionManager`]:
    'add_user_agent generate_request_id drain_timeout proxy_100_continue represent_ipv4_remote_address_as_ipv4_mapped_ipv6 ' +
    'skip_xff_append via internal_address_config delayed_close_timeout scoped_routes ' +
    'preserve_external_request_id request_id_extension always_set_request_id_in_response ' +
    'strip_matching_host_port stream_error_on_invalid_http_message path_normalization_options ' +
    'http3_protocol_options original_ip_detection_extensions scheme_header_transformation proxy_status_config ' +
    'typed_header_validation_config append_x_forwarded_port early_header_mutation_extensions ' +
    'add_proxy_protocol_connection_state access_log_flush_interval flush_access_log_on_new_request ' +
    'access_log_options append_local_overload http1_safe_max_connection_duration stream_flush_timeout ' +
    'forward_client_cert_matcher forward_proto_config drain_timeout_jitter record_route_resolution_stats',
};
