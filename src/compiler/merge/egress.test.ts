import { describe, expect, test } from 'vitest';
import type { Sidecar } from '../../policy/sidecar.ts';
import * as make from '../../testing/objects.ts';
import { analysed, importing } from './testing/sidecar-bench.ts';

const all = ['ratings.b', 'reviews.b', 'web.a'];

describe('egress', () => {
  test.each([
    ['./*', ['web.a']],
    ['b/*', ['ratings.b', 'reviews.b']],
    ['*/*', all],
    ['~/*', []],
    ['b/reviews.b.svc.cluster.local', ['reviews.b']],
    ['b/Reviews.B.svc.cluster.local', ['reviews.b']],
    ['*/*.b.svc.cluster.local', ['ratings.b', 'reviews.b']],
    ['./reviews.b.svc.cluster.local', []],
    ['b/reviews', []],
  ])('of "%s" imports these services alone', (host, expected) => {
    expect(analysed([importing('a/s', [host])]).hosts('a/client')).toEqual(expected);
  });

  test('does not import what is not exported to the client', () => {
    const hidden = make.serviceEntry('b/private', { hosts: ['private.example'], exportTo: ['.'] });
    expect(analysed([hidden, importing('a/s', ['*/*'])]).hosts('a/client')).toEqual(all);
  });

  test('chooses among services of one host those that it imports', () => {
    const entry = (namespace: string) => make.serviceEntry(`${namespace}/e`, { hosts: ['api.example'] });
    const { scopeOf, hosts } = analysed([entry('a'), entry('b'), importing('a/s', ['b/api.example'])]);
    expect(hosts('a/client')).toEqual(['api.example']);
    expect(scopeOf('a/client').egress).toEqual([{ hosts: [{ namespace: 'b', host: 'api.example' }] }]);
  });

  test('of equal meaning gives clients one scope', () => {
    const front = importing('a/front', ['b/*', './*', 'a/web.a.svc.cluster.local'], {
      workloadSelector: { labels: { tier: 'front' } },
    });
    const { scopeOf } = analysed([front, importing('a/s', ['a/*', 'b/*', '~/*'])]);
    expect(scopeOf('a/client').key).toBe(scopeOf('a/web').key);
  });
});

describe('egress with ports', () => {
  const listener = (hosts: readonly string[], number: number, rest: object = {}) => ({
    ...{ hosts, port: { number, protocol: 'HTTP' } },
    ...rest,
  });
  const scoped = (...egress: NonNullable<Sidecar['spec']['egress']>) => analysed([make.sidecar('a/s', { egress })]);

  test('imports services that have the port alone', () => {
    expect(scoped(listener(['*/*'], 80)).hosts('a/client')).toEqual(all);
    expect(scoped(listener(['*/*'], 81)).hosts('a/client')).toEqual([]);
    expect(scoped(listener(['*/*'], 81), { hosts: ['./*'] }).hosts('a/client')).toEqual(['web.a']);
  });

  test.each([
    [{}, {}],
    [{ bind: '0.0.0.0' }, {}],
    [{ bind: '192.0.2.1', captureMode: 'IPTABLES' }, { address: '192.0.2.1' }],
    [{ captureMode: 'NONE' }, { address: '127.0.0.1', isBound: true }],
    [
      { captureMode: 'NONE', bind: '127.0.0.9' },
      { address: '127.0.0.9', isBound: true },
    ],
  ])('and with %o stands at %o', (rest, place) => {
    expect(scoped(listener(['~/*'], 80, rest)).scopeOf('a/client').egress).toEqual([
      { ...place, port: { number: 80, protocol: 'http' }, hosts: [] },
    ]);
  });

  test('may not be where the proxy itself listens', () => {
    expect(scoped(listener(['~/*'], 15000, { captureMode: 'NONE' })).said).toEqual([
      'sidecar-port-of-proxy: port 15000 is one on which the proxy itself listens (administration)',
    ]);
  });
});

describe('checkEgress', () => {
  test.each([
    ['c/*', 'there is no namespace "c"'],
    ['./reviews.b.svc.cluster.local', 'no service of namespace "a" has the host "reviews.b.svc.cluster.local"'],
    ['*/nobody.example', 'no service has the host "nobody.example"'],
    ['b/reviews', 'no service of namespace "b" has the host "reviews"'],
    ['b/private.example', '"private.example" is not exported to namespace "a"'],
  ])('says of "%s" that it imports nothing', (host, why) => {
    const hidden = make.serviceEntry('b/private', { hosts: ['private.example'], exportTo: ['.'] });
    const { said } = analysed([hidden, importing('a/s', [host])]);
    expect(said).toEqual([`egress-host-without-service: "${host}" imports nothing: ${why}`]);
  });

  test('says nothing of hosts that only a VirtualService has, and of patterns that fit any namespace', () => {
    const routed = make.virtualService('b/v', { hosts: ['routed.example'] });
    const hosts = ['./*', '*/*', '~/*', 'b/routed.example', 'mesh-system/*'];
    const { said } = analysed([routed, importing('a/s', hosts), importing('mesh-system/s', ['./web.a.svc.x'])]);
    expect(said.filter((text) => text.startsWith('egress'))).toEqual([]);
  });
});
