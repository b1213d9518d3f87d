import { describe, expect, test } from 'vitest';
import { api, edited, foreign, verified } from '../../testing/edited-sample.ts';
import type { EnvoyConfig } from '../render/resource.ts';

describe('template-lost-rule of clusters', () => {
  test.each<[string, EnvoyConfig]>([
    [
      'plaintext instead of automatic TLS',
      api((json) => {
        delete json.transport_socket_matches;
      }),
    ],
    [
      'plaintext first',
      api((json) => {
        json.transport_socket_matches.reverse();
      }),
    ],
    [
      'another choice of transport sockets',
      api((json) => {
        const action = { '@type': 'type.googleapis.com/google.protobuf.StringValue', value: 'tlsMode-disabled' };
        json.transport_socket_matcher = { on_no_match: { action: { name: 'x', typed_config: action } } };
      }),
    ],
    [
      'another server name',
      api((json) => {
        json.transport_socket_matches[0].transport_socket.typed_config.sni = 'x';
      }),
    ],
    [
      'no server identity',
      api((json) => {
        const context = json.transport_socket_matches[0].transport_socket.typed_config.common_tls_context;
        context.combined_validation_context.default_validation_context = {};
      }),
    ],
    [
      'an endpoint without its sidecar',
      api((json) => {
        delete json.load_assignment.endpoints[0].lb_endpoints[0].metadata;
      }),
    ],
    [
      'an endpoint elsewhere',
      api((json) => {
        json.load_assignment.endpoints[0].lb_endpoints[1].endpoint.address.socket_address.address = '10.0.0.4';
      }),
    ],
    [
      'no certificate check',
      foreign((json) => {
        delete json.transport_socket.typed_config.common_tls_context.validation_context;
      }),
    ],
    [
      'no name check',
      foreign((json) => {
        delete json.transport_socket.typed_config.common_tls_context.validation_context.match_typed_subject_alt_names;
      }),
    ],
    [
      'no automatic server name',
      edited('cluster', 'outbound|443||www.example.com', (json) => {
        delete json.typed_extension_protocol_options['envoy.extensions.upstreams.http.v3.HttpProtocolOptions']
          .upstream_http_protocol_options;
      }),
    ],
    [
      'no source address',
      edited('cluster', 'inbound|8000||', (json) => {
        delete json.upstream_bind_config;
      }),
    ],
    [
      'another discovery type',
      edited('cluster', 'PassthroughCluster', (json) => {
        json.type = 'STATIC';
        json.lb_policy = 'ROUND_ROBIN';
      }),
    ],
  ])('names %s', (_, config) => {
    expect(verified(config)).toContainEqual(expect.stringMatching(/^template-lost-rule: /));
  });
});
