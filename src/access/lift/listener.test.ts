import { describe, expect, test } from 'vitest';
import { Fragment } from '../../envoy/api/fragment.ts';
import { inboundListener, outboundListener } from '../evaluate/find-listener.ts';
import { type Listener, liftListener } from './listener.ts';

const address = { socket_address: { address: '0.0.0.0', port_value: 80 } };
const lift = (fields: object): Listener => liftListener(new Fragment({ address, filter_chains: [], ...fields }));

describe('liftListener', () => {
  test.each([
    ['a listener that does not hand on what it has caught', { name: 'virtualOutbound' }, 'use_original_dst'],
    [
      'a listener for what comes in that hands it on',
      { name: 'virtualInbound', use_original_dst: true },
      'use_original_dst',
    ],
    ['another that hands connections on', { name: 'http', use_original_dst: true }, 'use_original_dst'],
    [
      'one for all connections that does not listen',
      { name: 'virtualOutbound', use_original_dst: true, bind_to_port: false },
      'bind_to_port',
    ],
    [
      'an address of another protocol',
      { name: 'http', address: { socket_address: { ...address.socket_address, protocol: 'UDP' } } },
      'address.socket_address.protocol',
    ],
    [
      'an address that takes IPv4 as well',
      { name: 'http', address: { socket_address: { ...address.socket_address, ipv4_compat: true } } },
      'address.socket_address.ipv4_compat',
    ],
  ])('makes a gap of %s', (_, fields, gap) => {
    expect(lift(fields).gap).toBe(gap);
  });

  const hcm = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

  // As the real Envoy was seen to do.
  test.each([
    ['INBOUND', {}, true],
    [undefined, { random_sampling: { value: 0 } }, true],
    ['OUTBOUND', {}, false],
    ['INBOUND', undefined, false],
    ['INBOUND', { operation: '%PROTOCOL%' }, false],
  ])('knows that a listener of the direction %s with the tracing %j takes the name of a span: %s', (...row) => {
    const [traffic_direction, tracing, takes] = row;
    const manager = { '@type': hcm, rds: { route_config_name: 'r' }, http_filters: [], tracing };
    const { chains } = lift({
      traffic_direction,
      filter_chains: [{ filters: [{ name: 'h', typed_config: manager }] }],
    });
    const [filter] = chains[0]?.filters ?? [];
    expect(filter?.kind === 'http' && filter.manager.takesOperation).toBe(takes);
  });

  test('takes a gateway to listen where its listener is bound, and a sidecar to hand connections to any', () => {
    const bound = lift({ name: 'bound' });
    const unbound = lift({ name: 'unbound', bind_to_port: false });
    const caught = lift({
      name: 'virtualOutbound',
      use_original_dst: true,
      address: { socket_address: { port_value: 1 } },
    });
    const proxyOf = (...all: readonly Listener[]) => ({
      listeners: new Map(all.map((one) => [one.name, one])),
      routes: new Map(),
      clusters: new Map(),
    });
    const to = { address: '10.0.0.1', port: 80 };
    expect([bound.gap, unbound.gap, caught.gap]).toEqual([undefined, undefined, undefined]);
    expect(inboundListener(proxyOf(unbound), to)).toBeUndefined();
    expect(inboundListener(proxyOf(bound), to)).toBe(bound);
    expect(outboundListener(proxyOf(unbound, caught), to)).toBe(unbound);
    expect(outboundListener(proxyOf(unbound, caught), { ...to, port: 81 })).toBe(caught);
  });
});
