import { describe, expect, test } from 'vitest';
import { service } from '../../../testing/objects.ts';
import { effectiveOutbound, meshService, ports } from '../../../testing/topology.ts';
import type { OutboundIR } from '../../ir/proxy.ts';
import { matchChain } from '../testing/match-chain.ts';
import { http, names } from './testing/destination.ts';
import { outboundOf } from './testing/outbound-of.ts';

describe('offers of HTTP requests on detected ports', () => {
  const overrides = ({ listeners }: OutboundIR) =>
    listeners
      .flatMap(({ filterChains }) => filterChains)
      .map(({ filter }) => (filter.kind === 'http' ? filter.alpnOverride?.alpn : undefined))
      .filter((alpn) => alpn !== undefined);
  const auto = meshService('a', { ports: ports('8000/auto') });

  test('name HTTP towards the mesh, and settle no version', () => {
    expect(overrides(outboundOf([auto]))).toEqual([['mesh-http/1.1', 'mesh']]);
    expect(overrides(outboundOf([meshService('a')]))).toEqual([]);
  });

  test('never show the mesh’s tokens to servers outside', () => {
    expect(overrides(outboundOf([effectiveOutbound(auto, { tls: { mode: 'SIMPLE' } })]))).toEqual([]);
    expect(overrides(outboundOf([effectiveOutbound(auto, { tls: { mode: 'DISABLE' } })]))).toEqual([]);
  });
});

describe('settings of outbound connections', () => {
  test('remote addresses and HTTP/1.0 are taken where switched on, a caller’s certificate header never', () => {
    const settings = { sidecarUseRemoteAddress: true, http10: true, enableTracing: false };
    const [listener] = outboundOf([meshService('a')], { settings }).listeners;
    expect(matchChain(listener!, http)?.filter).toMatchObject({
      useRemoteAddress: true,
      http10: true,
      tracing: undefined,
      xfcc: 'sanitize',
    });
  });

  test('time-outs and source hashing of a rule reach the TCP proxy', () => {
    const rule = {
      connectionPool: { tcp: { idleTimeout: '30s', maxConnectionDuration: '1h' } },
      loadBalancer: { consistentHash: { useSourceIp: true } },
    };
    const outbound = outboundOf([effectiveOutbound(meshService('a', { ports: ports('8000/tcp') }), rule)]);
    expect(outbound.listeners[0]?.filterChains[0]?.filter).toMatchObject({
      idleTimeoutMs: 30_000,
      maxConnectionDurationMs: 3_600_000,
      hashSourceIp: true,
    });
  });

  test('TPROXY makes the listener transparent; IPv6 listeners stand on their own wildcard', () => {
    const scope = { interceptionMode: 'TPROXY', families: ['ipv6'] } as const;
    const outbound = outboundOf([meshService('a')], { scope });
    expect(outbound.listeners.map(({ name, addresses }) => [name, addresses])).toEqual([
      ['[::]_8000', ['::']],
      ['virtualOutbound', ['::']],
    ]);
    expect(outbound.listeners[1]?.transparent).toBe(true);
  });

  test.each([
    [15001, 'http'],
    [15006, 'http'],
    [15021, 'http'],
    [15090, 'http'],
  ])('no service opens the wildcard listener of port %i, which every proxy binds itself', (port, protocol) => {
    const object = service('a', { ports: [{ port, targetPort: 8080 }] });
    for (const families of [['ipv4'], ['ipv6'], ['ipv4', 'ipv6']] as const) {
      const outbound = outboundOf([meshService('a', { ports: ports(`${port}/${protocol}`), object })], {
        scope: { families },
      });
      expect(names(outbound)).toEqual([]);
      expect(outbound.routes).toEqual([]);
      expect(outbound.codes).toEqual(['service-port-of-proxy']);
    }
    const own = outboundOf([meshService('a', { ports: ports(`${port}/tcp`) })]);
    expect(names(own)).toEqual([`10.0.0.1_${port}`]);
    const everywhere = { addresses: ['0.0.0.0'], ports: ports(`${port}/tcp`), object };
    expect(names(outboundOf([meshService('a', everywhere)]))).toEqual([]);
  });

  test.each([
    [15001, ['service-port-of-proxy']],
    [15021, []],
    [15090, []],
  ])('a service for port %i of the proxies themselves is warned of where clients cannot reach it', (port, codes) => {
    for (const targetPort of [undefined, port]) {
      const object = service('a', { ports: [{ port, ...(targetPort && { targetPort }) }] });
      expect(outboundOf([meshService('a', { ports: ports(`${port}/http`), object })]).codes).toEqual(codes);
    }
  });

  test('a router has clusters alone', () => {
    const outbound = outboundOf([meshService('a')], { scope: { role: 'router' } });
    expect([outbound.listeners, outbound.routes]).toEqual([[], []]);
    expect(outbound.clusters).toHaveLength(3);
  });

  test('every cluster that a route or a chain names is there', () => {
    const services = [meshService('a'), meshService('b', { ports: ports('1/tcp', '2/auto', '3/tls', '4/grpc') })];
    const outbound = outboundOf(services);
    const known = new Set(outbound.clusters.map(({ name }) => name));
    const named = JSON.stringify([outbound.listeners, outbound.routes]).matchAll(/"cluster":"([^"]+)"/g);
    expect([...named].map(([, name = '']) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});
