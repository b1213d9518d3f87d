/** Components of Envoy 1.40's log, as its admin interface lists them; another release may have others. */
export const logComponents = (
  'a2a admin ai_protocol_manager alternate_protocols_cache aws assert backtrace basic_auth cache_filter client config ' +
  'connection conn_handler compression credential_injector decompression dns dubbo envoy_bug ext_authz ext_proc rocketmq ' +
  'file filter forward_proxy geolocation grpc happy_eyeballs hc health_checker http http2 hystrix init io jwt json_rpc ' +
  'kafka key_value_store lua local_rate_limit main matcher mcp misc mongo multi_connection notification oauth2 quic ' +
  'quic_stream pool rate_limit_quota rbac rds redis router runtime stats secret sse tap testing thrift tracing upstream ' +
  'udp wasm websocket golang stats_sinks dynamic_modules ip_tagging'
).split(' ');
