import { describe, expect, test } from 'vitest';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { twoSidecars } from '../../testing/two-sidecars.ts';
import type { HttpRequest } from '../request.ts';
import { travel } from './travel.ts';

const ports = { 'http/1.1': 80, h2: 90 } as const;

describe('a large request from one sidecar to the other', () => {
  test.each([
    ['few lines', 'http/1.1', 10, 'reaches', ['client', 'server']],
    [
      'as many as the first proxy takes, over HTTP/1.1',
      'http/1.1',
      99,
      '431 http1.too_many_headers',
      ['client', 'server'],
    ],
    [
      'as many as the first proxy takes, over HTTP/2',
      'h2',
      96,
      '503 upstream_reset_before_response_started: http2.too_many_headers',
      ['client', 'server'],
    ],
    ['one more, over HTTP/2', 'h2', 97, 'http2.too_many_headers', ['client']],
  ] as const)('of %s', (_, protocol, count, expected, sides) => {
    const headers = Array.from({ length: count }, (_one, i) => [`x-${i}`, 'v'] as const);
    const [way] = ways(protocol, { path: '/', headers });
    expect(way?.told).toBe(expected);
    expect(way?.sides).toEqual(sides);
  });

  test.each([
    [16_369, 'reaches'],
    [16_370, 'a first line so long that its way depends on how many packets bring it'],
  ])('with a path of %i bytes', (length, expected) => {
    const path = `/${'a'.repeat(length - 1)}`;
    expect(ways('http/1.1', { path, headers: [] }).map(({ told }) => told)).toEqual([expected]);
  });
});

test('an upgrade to WebSocket that goes on over HTTP/2 is answered with 502, as the other sidecar resets the stream', () => {
  const headers = [
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
  ] as const;
  const [way] = ways('http/1.1', { path: '/', headers }, ports.h2);
  expect(way).toEqual({
    told: '502 upstream_reset_before_response_started: http2.invalid.header.field',
    sides: ['client', 'server'],
  });
});

test.each(['http://web/x', 'HTTPS://web/x', 'ftp://web/x'])(
  'what a first line with the URL %s leads to is not known',
  (path) => {
    const [way] = ways('http/1.1', { path, headers: [] });
    expect(way).toEqual({ told: 'a URL with a host in place of the path', sides: ['client'] });
  },
);

test.each([
  ['x-forwarded-proto', 'http/1.1', ports['http/1.1'], '404 route_not_found', 'reaches'],
  ['te', 'http/1.1', ports.h2, '502 upstream_reset_before_response_started: http2.invalid.header.field', undefined],
  ['referer', 'http/1.1', ports['http/1.1'], 'reaches', undefined],
  ['x-forwarded-for', 'http/1.1', ports['http/1.1'], 'reaches', undefined],
] as const)('%s without a value is no such header with a value that nobody knows', (name, protocol, port, told, of) => {
  const empty = { path: '/', headers: [[name, '']] } as const;
  expect(ways(protocol, empty, port).map((way) => way.told)).toEqual([told]);
  const unknown = ways(protocol, { ...empty, opaque: [name] }, port);
  expect(unknown.map((way) => way.told)).toEqual([of ?? `the value of the header ${name}`]);
});

test('an address with a network interface in x-forwarded-for is one on some machines alone', () => {
  const headers = [['x-forwarded-for', 'fe80::1%eth0']] as const;
  const [way] = ways('http/1.1', { path: '/', headers });
  expect(way?.told).toBe('an address with a network interface in x-forwarded-for');
});

function ways(
  protocol: keyof typeof ports,
  change: Pick<HttpRequest, 'path' | 'headers' | 'opaque'>,
  port: number = ports[protocol],
): readonly { readonly told: string; readonly sides: readonly string[] }[] {
  const request = { method: 'GET', authority: 'web', ...change };
  const from = { kind: 'workload', namespace: 'foo', name: 'curl' } as const;
  const to = { address: '10.96.0.1', port };
  return travel(compiledWorld([twoSidecars]), { from, to, protocol, request }, { now: 0 }).map(({ outcome, legs }) => {
    const told =
      outcome.kind === 'answered'
        ? [`${outcome.status} ${outcome.details}`, outcome.why].filter((part) => part !== undefined).join(': ')
        : outcome.kind === 'unmodelled'
          ? outcome.at
          : outcome.kind === 'reaches'
            ? outcome.kind
            : outcome.details;
    return { told, sides: legs.map(({ side }) => side) };
  });
}
