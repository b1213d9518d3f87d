/** The server side of mutual TLS, with secrets from the cluster `sds`. */
export function downstreamTls(): object {
  return {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
    require_client_certificate: true,
    session_timeout: '3600s',
    disable_stateless_session_resumption: true,
    common_tls_context: {
      ...commonTls(),
      alpn_protocols: ['mesh', 'h2', 'http/1.1'],
      tls_params: {
        tls_minimum_protocol_version: 'TLSv1_2',
        tls_maximum_protocol_version: 'TLSv1_3',
        cipher_suites: ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
      },
    },
  };
}

/** The client side of mutual TLS. */
export function upstreamTls(): object {
  return {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
    sni: 'outbound_.8000_._.httpbin.default.svc.cluster.local',
    max_session_keys: 4,
    common_tls_context: { ...commonTls(), alpn_protocols: ['mesh'] },
  };
}

function commonTls(): object {
  return {
    tls_certificate_sds_secret_configs: [sdsSecret('default')],
    combined_validation_context: {
      default_validation_context: {
        match_typed_subject_alt_names: [{ san_type: 'URI', matcher: { prefix: 'spiffe://cluster.local/' } }],
        max_verify_depth: 4,
      },
      validation_context_sds_secret_config: sdsSecret('ROOTCA'),
    },
  };
}

function sdsSecret(name: string): object {
  return {
    name,
    sds_config: {
      resource_api_version: 'V3',
      initial_fetch_timeout: '0s',
      api_config_source: {
        api_type: 'GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: 'sds' }, timeout: '5s' }],
      },
    },
  };
}
