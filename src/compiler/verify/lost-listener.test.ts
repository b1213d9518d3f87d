import { describe, expect, test } from 'vitest';
import { edited, inbound, inboundChain, verified } from '../../testing/edited-sample.ts';
import type { EnvoyConfig } from '../render/resource.ts';

describe('template-lost-rule of listeners', () => {
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
      'clients that name their own address by the PROXY protocol',
      inbound((json) => {
        const type = 'type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol';
        json.listener_filters.unshift({ name: 'x', typed_config: { '@type': type } });
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
  ])('names %s', (_, config) => {
    expect(verified(config)).toContainEqual(expect.stringMatching(/^template-lost-rule: /));
  });
});
