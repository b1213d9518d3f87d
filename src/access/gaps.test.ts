import { describe, expect, test } from 'vitest';
import { compileFixture, fixtureNames, readFixture } from '../testing/fixture.ts';
import { gapsOf } from './gaps.ts';
import { liftProxy } from './lift-proxy.ts';

/** Filters that the compiler writes and no prediction understands. */
const unknown: Readonly<Record<string, string>> = {
  'gateway-proxy-protocol': 'a load balancer writes who the client is in front of its bytes',
  'service-redis-and-thrift': 'Redis and Thrift are protocols of their own',
};

describe('gapsOf', () => {
  test('finds none in what the compiler writes for any fixture, but for the named ones', {
    timeout: 120_000,
  }, async () => {
    const found: Record<string, readonly string[]> = {};
    let proxies = 0;
    for (const name of fixtureNames('fixtures/ok')) {
      const compilation = compileFixture(await readFixture('fixtures/ok', name));
      for (const { listeners, routes, clusters } of compilation?.configs ?? []) {
        const json = (all: typeof listeners) => all.map((one) => one.json);
        const gaps = gapsOf(liftProxy({ listeners: json(listeners), routes: json(routes), clusters: json(clusters) }));
        if (gaps.length > 0) found[name] = gaps;
        proxies++;
      }
    }
    expect(proxies).toBeGreaterThan(300);
    expect(Object.keys(found)).toEqual(Object.keys(unknown));
    for (const gap of Object.values(found).flat()) expect(gap).toMatch(/filters\[\d\]\.typed_config/);
  });

  test('names the resource and the path of an unknown field in each of them', () => {
    const odd = { name: 'x', odd: true };
    const proxy = liftProxy({ listeners: [odd], routes: [odd], clusters: [odd] });
    expect(gapsOf(proxy)).toEqual(['x: odd', 'x: odd', 'x: odd']);
  });
});
