import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import {
  api,
  edited,
  foreign,
  inbound,
  inboundChain,
  inboundHttp,
  inboundTls,
  routes,
  verified,
} from '../../testing/edited-sample.ts';
import { bootstrapIR, chainIR, listenerIR, matchIR, proxyIR, tcpIR } from '../../testing/ir.ts';
import { clusterIR } from '../../testing/ir-clusters.ts';
import { createRenderer } from '../render/render.ts';
import type { EnvoyConfig } from '../render/resource.ts';

describe('template-lost-rule', () => {
  test.each<[string, EnvoyConfig]>([
    [
      'another name',
      inbound((json) => {
        json.name = 'x';
      }),
    ],
    [
      'another port',
      inbound((json) => {
        json.address.socket_address.port_value = 15007;
      }),
    ],
    [
      'a family fewer',
      inbound((json) => {
        delete json.additional_addresses;
      }),
    ],
    [
      'the direction',
      inbound((json) => {
        delete json.traffic_direction;
      }),
    ],
    [
      'use_original_dst',
      edited('listener', 'virtualOutbound', (json) => {
        delete json.use_original_dst;
      }),
    ],
    [
      'bind_to_port',
      edited('listener', '0.0.0.0_8000', (json) => {
        delete json.bind_to_port;
      }),
    ],
    [
      'a chain fewer',
      inbound((json) => {
        json.filter_chains.pop();
      }),
    ],
    [
      'a chain more',
      inbound((json) => {
        json.filter_chains.push({
          ...json.filter_chains[0],
          name: 'wide',
          filter_chain_match: { destination_port: 22 },
        });
      }),
    ],
    [
      'a default chain more',
      inbound((json) => {
        json.default_filter_chain = { ...json.filter_chains[0], name: 'wide', filter_chain_match: {} };
      }),
    ],
    [
      'a default chain more, in camel case',
      inbound((json) => {
        json.defaultFilterChain = { ...json.filter_chains[0], name: 'wide', filter_chain_match: {} };
      }),
    ],
    [
      'no default chain',
      edited('listener', '0.0.0.0_8000', (json) => {
        delete json.default_filter_chain;
      }),
    ],
    [
      'a match without its port',
      inboundChain((chain) => {
        delete chain.filter_chain_match.destination_port;
      }),
    ],
    [
      'a match without its transport',
      inboundChain((chain) => {
        delete chain.filter_chain_match.transport_protocol;
      }),
    ],
    [
      'a match of one more protocol',
      inbound((json) => {
        json.filter_chains[2].filter_chain_match.application_protocols.push('h2');
      }),
    ],
    [
      'a match of another field',
      inboundChain((chain) => {
        chain.filter_chain_match.source_ports = [1];
      }),
    ],
    [
      'another address block',
      edited('listener', '10.1.0.9_9000', (json) => {
        json.filter_chains[0].filter_chain_match.prefix_ranges[0].prefix_len = 8;
      }),
    ],
    [
      'other server names',
      edited('listener', '10.1.0.9_9000', (json) => {
        json.filter_chains[0].filter_chain_match.server_names = ['*.example.com'];
      }),
    ],
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
    [
      'another terminal filter',
      inboundChain((chain) => {
        chain.filters[0].typed_config = {
          '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
          stat_prefix: 'x',
          cluster: 'InboundPassthroughCluster',
        };
      }),
    ],
    [
      'another cluster',
      inbound((json) => {
        json.filter_chains[0].filters[0].typed_config.cluster = 'InboundPassthroughCluster';
      }),
    ],
    [
      'other routes',
      inboundHttp((config) => {
        config.rds.route_config_name = 'api.b.svc.cluster.local:8000';
      }),
    ],
    [
      'a forged client certificate header',
      inboundHttp((config) => {
        config.forward_client_cert_details = 'APPEND_FORWARD';
      }),
    ],
    [
      'no client certificate header',
      inboundHttp((config) => {
        delete config.set_current_client_cert_details;
      }),
    ],
    [
      'unnormalized paths',
      inboundHttp((config) => {
        config.normalize_path = false;
      }),
    ],
    [
      'unmerged slashes',
      inboundHttp((config) => {
        delete config.merge_slashes;
      }),
    ],
    [
      'kept escaped slashes',
      inboundHttp((config) => {
        delete config.path_with_escaped_slashes_action;
      }),
    ],
    [
      'trust in X-Forwarded-For',
      inboundHttp((config) => {
        config.use_remote_address = true;
      }),
    ],
    [
      'another host for requests without one',
      inboundHttp((config) => {
        config.http_protocol_options.default_host_for_http_10 = 'admin.example.com';
      }),
    ],
    [
      'one bad request for all',
      inboundHttp((config) => {
        delete config.http2_protocol_options;
      }),
    ],
    [
      'no ALPN override',
      edited('listener', '0.0.0.0_8000', (json) => {
        json.filter_chains[0].filters[0].typed_config.http_filters.shift();
      }),
    ],
    [
      'no TLS inspector',
      inbound((json) => {
        json.listener_filters.splice(2, 1);
      }),
    ],
    [
      'an inspector off for one more port',
      inbound((json) => {
        json.listener_filters[2].filter_disabled = { any_match: true };
      }),
    ],
    [
      'another detection time-out',
      inbound((json) => {
        json.listener_filters_timeout = '5s';
      }),
    ],
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
    [
      'a domain more',
      routes((json) => {
        json.virtual_hosts[0].domains.push('x');
      }),
    ],
    [
      'a host fewer',
      routes((json) => {
        json.virtual_hosts.pop();
      }),
    ],
    [
      'a host more',
      routes((json) => {
        json.virtual_hosts.push({ ...json.virtual_hosts[1], name: 'x', domains: ['x'] });
      }),
    ],
    [
      'a route more',
      routes((json) => {
        json.virtual_hosts[1].routes.unshift({ match: { prefix: '/' }, route: { cluster: 'PassthroughCluster' } });
      }),
    ],
    [
      'another route cluster',
      routes((json) => {
        json.virtual_hosts[0].routes[0].route.cluster = 'PassthroughCluster';
      }),
    ],
    [
      'a wider route match',
      routes((json) => {
        json.virtual_hosts[0].routes[0].match.prefix = '';
      }),
    ],
    [
      'another status',
      routes((json) => {
        json.virtual_hosts[1].routes[0].direct_response.status = 200;
      }),
    ],
    [
      'ports in host matching',
      routes((json) => {
        delete json.ignore_port_in_host_matching;
      }),
    ],
    [
      'no listeners at all',
      edited('bootstrap', 'bootstrap', (json) => {
        delete json.dynamic_resources.lds_config;
      }),
    ],
    [
      'an admin interface that the outside reaches',
      edited('bootstrap', 'bootstrap', (json) => {
        json.admin.address.socket_address.address = '0.0.0.0';
      }),
    ],
    [
      'an admin interface on every IPv6 address',
      edited('bootstrap', 'bootstrap', (json) => {
        json.admin.address.socket_address.address = '::';
      }),
    ],
    [
      'an admin interface at a name',
      edited('bootstrap', 'bootstrap', (json) => {
        json.admin.address.socket_address.address = '127.0.0.1.example.org';
      }),
    ],
  ])('is %s', (_, config) => {
    expect(verified(config)).toContainEqual(expect.stringMatching(/^template-lost-rule: /));
  });

  test.each([
    ['on IPv6 loopback', { socket_address: { address: '::1', port_value: 15000 } }],
    ['on another loopback address', { socket_address: { address: '127.0.0.9', port_value: 15000 } }],
    ['on a Unix socket', { pipe: { path: '/run/envoy-admin' } }],
  ])('leaves an admin interface %s to the template', (_, address) => {
    const config = edited('bootstrap', 'bootstrap', (json) => {
      json.admin.address = address;
    });
    expect(verified(config)).toEqual([]);
  });

  test('leaves a filter before the terminal one to the template', () => {
    const config = inboundHttp((http) => {
      http.http_filters.unshift({
        name: 'envoy.filters.http.cors',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors' },
      });
    });
    expect(verified(config)).toEqual([]);
  });

  test('compares with the half of the proxy that the resource came from', () => {
    const half = (name: string) => ({
      listeners: [listenerIR(name, 15006, { filterChains: [chainIR('a', tcpIR('c'), { match: matchIR({}) })] })],
      routes: [],
      clusters: name === 'in' ? [clusterIR('c')] : [],
    });
    const two = proxyIR({ bootstrap: bootstrapIR({ configPath: '/x' }), inbound: half('in'), outbound: half('out') });
    expect(verified(createRenderer().render(two, new DiagnosticBag()) as EnvoyConfig, two)).toEqual([]);
  });
});
