import { describe, expect, test } from 'vitest';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import type { Json } from '../../envoy/api/resource-file.ts';
import { fileOf } from '../../testing/resource-files.ts';
import { boundAddresses } from './listener-ports.ts';

const socket = (address: string, more: object = {}): object => ({
  socket_address: { address, port_value: 80, ...more },
});

describe('boundAddresses', () => {
  test.each([
    ['an address', { address: socket('127.0.0.1') }, ['127.0.0.1:80']],
    ['each of several', { address: socket('0.0.0.0'), additional_addresses: [{ address: socket('::') }] }, 2],
    ['none that Envoy does not bind', { address: socket('0.0.0.0'), bind_to_port: false }, []],
    ['no datagrams', { address: socket('0.0.0.0', { protocol: 'UDP' }) }, []],
    ['no port that the system chooses', { address: socket('0.0.0.0', { port_value: 0 }) }, []],
    ['no listener inside Envoy', { address: { envoy_internal_address: {} } }, []],
  ])('has %s', (_, listener, expected) => {
    const texts = boundAddresses(files([], [{ name: 'one', ...listener }])).map(
      ({ address }) => `${address.host}:${address.port}`,
    );
    expect(texts).toEqual(expected === 2 ? ['0.0.0.0:80', ':::80'] : expected);
  });

  test('has those of the bootstrap, and leaves IPv4 to others unless the listener wants it', () => {
    const own = { name: 'own', address: socket('::') };
    const both = { name: 'both', address: socket('::', { ipv4_compat: true }) };
    expect(boundAddresses(files([own], [both]))).toEqual([
      { name: 'own', address: { host: '::', port: 80, isIpv6Only: true } },
      { name: 'both', address: { host: '::', port: 80, isIpv6Only: false } },
    ]);
  });
});

function files(own: readonly object[], dynamic: readonly Json[]): Pick<ProxyFiles, 'bootstrap' | 'listeners'> {
  return { bootstrap: { static_resources: { listeners: own } }, listeners: fileOf(...dynamic) };
}
