import { describe, expect, test } from 'vitest';
import { inbound, inboundChain, inboundTls, verified } from '../../testing/edited-sample.ts';
import type { EnvoyConfig } from '../render/resource.ts';

describe('template-lost-rule of TLS of a chain', () => {
  test.each<[string, EnvoyConfig]>([
    [
      'no TLS context',
      inboundChain((chain) => {
        delete chain.transport_socket;
      }),
    ],
    [
      'a TLS context more',
      inbound((json) => {
        json.filter_chains[0].transport_socket = json.filter_chains[1].transport_socket;
      }),
    ],
    [
      'no client certificate',
      inboundTls((context) => {
        context.require_client_certificate = false;
      }),
    ],
    [
      'sessions resumed by ticket',
      inboundTls((context) => {
        delete context.disable_stateless_session_resumption;
      }),
    ],
    [
      'sessions resumed by number',
      inboundTls((context) => {
        delete context.disable_stateful_session_resumption;
      }),
    ],
    [
      'no identity matcher',
      inboundTls((context) => {
        delete context.common_tls_context.combined_validation_context.default_validation_context
          .match_typed_subject_alt_names;
      }),
    ],
    [
      'a wider identity',
      inboundTls((context) => {
        const { default_validation_context: validation } = context.common_tls_context.combined_validation_context;
        validation.match_typed_subject_alt_names[0].matcher.prefix = 'spiffe://cluster.local';
      }),
    ],
    [
      'identities of another kind',
      inboundTls((context) => {
        const { default_validation_context: validation } = context.common_tls_context.combined_validation_context;
        validation.match_typed_subject_alt_names[0].san_type = 'DNS';
      }),
    ],
    [
      'untrusted chains',
      inboundTls((context) => {
        const { default_validation_context: validation } = context.common_tls_context.combined_validation_context;
        validation.trust_chain_verification = 'ACCEPT_UNTRUSTED';
      }),
    ],
    [
      'no root',
      inboundTls((context) => {
        context.common_tls_context.combined_validation_context.validation_context_sds_secret_config.name = 'default';
      }),
    ],
    [
      'older TLS',
      inboundTls((context) => {
        context.common_tls_context.tls_params.tls_minimum_protocol_version = 'TLSv1_0';
      }),
    ],
    [
      'other protocols offered',
      inboundTls((context) => {
        context.common_tls_context.alpn_protocols = ['h2'];
      }),
    ],
  ])('names %s', (_, config) => {
    expect(verified(config)).toContainEqual(expect.stringMatching(/^template-lost-rule: /));
  });
});
