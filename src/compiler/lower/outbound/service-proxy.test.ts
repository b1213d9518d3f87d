import { describe, expect, test } from 'vitest';
import type { TrafficBlocks } from '../../../policy/destination-rule.ts';
import type { TcpRoute } from '../../../policy/virtual-service.ts';
import { effectiveOutbound, endpoint, meshService, ports, type ServiceFields } from '../../../testing/topology.ts';
import type { NetworkFilterIR } from '../../ir/listener.ts';
import type { OutboundIR } from '../../ir/proxy.ts';
import type { Service } from '../../topology/model.ts';
import { Memo } from '../memo.ts';
import { outboundOf } from './testing/outbound-of.ts';
import { cluster, routed } from './testing/routed.ts';

const switchedOn = { redisProxy: true, thriftProxy: true };
const store = meshService('default/store', { ports: ports('6379/redis'), addresses: ['10.0.0.2'] });
const toShop = cluster('shop', 7000);
const bytes = meshService('default/bytes', { ports: ports('6000/tcp'), addresses: ['10.0.0.3'] });

/** A service at 10.0.0.1. */
function shop(protocol: string, fields: ServiceFields = {}): Service {
  return meshService('default/shop', { ports: ports(`7000/${protocol}`), addresses: ['10.0.0.1'], ...fields });
}

/** The terminal filter of the bytes of a listener, and where it leads, each share with its weight. */
function taker({ listeners }: OutboundIR, name = '10.0.0.1_7000'): string {
  const listener = listeners.find((one) => one.name === name);
  const filter = (listener?.defaultFilterChain ?? listener?.filterChains[0])?.filter as NetworkFilterIR;
  if (filter.kind === 'http') return 'http';
  const shares = 'weightedClusters' in filter ? filter.weightedClusters : undefined;
  return `${filter.kind} ${shares?.map((share) => `${share.weight} ${share.cluster}`).join(', ') ?? filter.cluster}`;
}

/** Listeners and clusters without their origins. */
function bare({ listeners, clusters }: OutboundIR): unknown {
  return JSON.parse(JSON.stringify([listeners, clusters], (key, value) => (key === 'origins' ? undefined : value)));
}

describe('serviceProxy', () => {
  test.each<[string, keyof typeof switchedOn, string]>([
    ['redis', 'redisProxy', 'redis'],
    ['thrift', 'thriftProxy', 'thrift'],
  ])('a %s port ends in its own proxy under %s alone', (protocol, setting, kind) => {
    const services = [shop(protocol)];
    expect(taker(outboundOf(services, { settings: { [setting]: true } }))).toBe(`${kind} ${toShop}`);
    const others = { ...switchedOn, [setting]: false };
    expect(taker(outboundOf(services, { settings: others }))).toBe(`tcp ${toShop}`);
  });

  test.each(['tcp', 'mongo', 'mysql', 'tls'])('a %s port ends in the TCP proxy as before', (protocol) => {
    expect(bare(outboundOf([shop(protocol)], { settings: switchedOn }))).toEqual(bare(outboundOf([shop(protocol)])));
  });

  test.each(['redis', 'thrift'])('without the variables a %s port is one of bytes', (protocol) => {
    expect(bare(outboundOf([shop(protocol)]))).toEqual(bare(outboundOf([shop('tcp')])));
  });

  const other = { destination: { host: 'store', port: { number: 6379 } } };
  const own = { destination: { host: 'shop' } };
  test.each<[string, string, TcpRoute['route'], string, string[]]>([
    ['redis', 'to another Redis service', [other], `redis ${cluster('store', 6379)}`, []],
    [
      'redis',
      'by weight',
      [
        { ...own, weight: 9 },
        { ...other, weight: 1 },
      ],
      `tcp 9 ${toShop}, 1 ${cluster('store', 6379)}`,
      ['redis-proxy-left-out'],
    ],
    [
      'redis',
      'to bytes',
      [{ destination: { host: 'bytes' } }],
      `tcp ${cluster('bytes', 6000)}`,
      ['redis-proxy-left-out'],
    ],
    ['redis', 'to nobody', [{ destination: { host: 'gone' } }], 'tcp BlackHoleCluster', ['unseen-destination']],
    [
      'thrift',
      'by weight',
      [
        { ...own, weight: 9 },
        { ...other, weight: 1 },
      ],
      `thrift 9 ${toShop}, 1 ${cluster('store', 6379)}`,
      [],
    ],
    ['thrift', 'to bytes', [{ destination: { host: 'bytes' } }], `thrift ${cluster('bytes', 6000)}`, []],
  ])('a %s port that a route sends %s', (protocol, _where, route, expected, codes) => {
    const virtualServices = [routed('shop', { hosts: ['shop'], tcp: [{ route }] })];
    const outbound = outboundOf([shop(protocol), store, bytes], { settings: switchedOn, virtualServices });
    expect(taker(outbound)).toBe(expected);
    expect(outbound.codes).toEqual(codes);
  });

  const headless: ServiceFields = { resolution: 'passthrough', isHeadless: true, addresses: [] };
  const endpoints = [endpoint('10.1.0.9', { servicePort: 7000 })];
  test.each<[string, ServiceFields, TrafficBlocks, string]>([
    ['a headless service', { ...headless, endpoints }, {}, '10.1.0.9_7000'],
    ['a balancer that passes through', {}, { loadBalancer: { simple: 'PASSTHROUGH' } }, '10.0.0.1_7000'],
  ])('the endpoint that the application chose under %s is kept', (_what, fields, rule, listener) => {
    const redis = outboundOf([effectiveOutbound(shop('redis', fields), rule)], { settings: switchedOn });
    expect(taker(redis, listener)).toBe(`tcp ${toShop}`);
    expect(redis.codes).toEqual(['redis-proxy-left-out']);
    const thrift = outboundOf([effectiveOutbound(shop('thrift', fields), rule)], { settings: switchedOn });
    expect(taker(thrift, listener)).toBe(`thrift ${toShop}`);
    expect(thrift.codes).toEqual([]);
  });

  test('a Redis port without an address shares its listener with HTTP', () => {
    const web = meshService('default/web', { ports: ports('7000/http'), addresses: ['10.0.0.9'] });
    const outbound = outboundOf([shop('redis', { addresses: [] }), web], { settings: switchedOn });
    expect(taker(outbound, '0.0.0.0_7000')).toBe(`redis ${toShop}`);
    expect(outbound.listeners[0]?.filterChains.map(({ filter }) => filter.kind)).toEqual(['http']);
  });

  test('listeners that one memo shares differ by the proxy of their destination', () => {
    const memo = new Memo();
    const virtualServices = [routed('shop', { hosts: ['shop'], tcp: [{ route: [other] }] })];
    const service = effectiveOutbound(shop('redis'));
    const ruled = effectiveOutbound(store, { loadBalancer: { simple: 'PASSTHROUGH' } });
    const options = { settings: switchedOn, virtualServices, memo };
    expect(taker(outboundOf([service, effectiveOutbound(store)], options))).toMatch(/^redis/);
    expect(taker(outboundOf([service, ruled], options))).toMatch(/^tcp/);
  });

  const tcp = { idleTimeout: '60s', maxConnectionDuration: '1h', maxConnections: 3, connectTimeout: '1s' };
  test.each<[string, TrafficBlocks, string[]]>([
    ['redis', { connectionPool: { tcp } }, ['idleTimeout', 'maxConnectionDuration', 'maxConnections']],
    ['thrift', { connectionPool: { tcp } }, ['idleTimeout', 'maxConnectionDuration']],
    ['tcp', { connectionPool: { tcp } }, []],
    ['redis', { loadBalancer: { consistentHash: { useSourceIp: true } } }, ['useSourceIp']],
    ['redis', { loadBalancer: { consistentHash: { httpHeaderName: 'x' } } }, ['httpHeaderName']],
    ['thrift', { loadBalancer: { consistentHash: { useSourceIp: true } } }, ['useSourceIp']],
    ['redis', { loadBalancer: { simple: 'RANDOM', warmupDurationSecs: '1s' } }, ['simple', 'warmupDurationSecs']],
    ['thrift', { loadBalancer: { simple: 'RANDOM' } }, []],
  ])('a %s port under the rule %j tells which of its fields have no effect', (protocol, rule, fields) => {
    const { messages } = outboundOf([effectiveOutbound(shop(protocol), rule)], { settings: switchedOn });
    expect(messages.map((message) => /^"(\w+)" of the rule/.exec(message)?.[1]).sort()).toEqual(fields.sort());
  });
});

describe('clusters of Redis ports', () => {
  test.each<[TrafficBlocks['loadBalancer'], object]>([
    [undefined, { policy: 'maglev', tableSize: undefined }],
    [{ simple: 'ROUND_ROBIN' }, { policy: 'maglev', tableSize: undefined }],
    [{ consistentHash: { minimumRingSize: 7 } }, { policy: 'ring-hash', minimumRingSize: 7 }],
    [{ simple: 'PASSTHROUGH' }, { policy: 'cluster-provided' }],
  ])('choose endpoints by key under the balancer %j', (loadBalancer, expected) => {
    const rule = loadBalancer === undefined ? {} : { loadBalancer };
    const services = [effectiveOutbound(shop('redis'), rule, { subsets: { v1: { version: 'v1' } } })];
    const balancers = (role: 'sidecar' | 'router') =>
      outboundOf(services, { settings: switchedOn, scope: { role } })
        .clusters.filter(({ name }) => name.startsWith('outbound'))
        .map((each) => each.loadBalancing);
    expect(balancers('sidecar')).toEqual([expected, expected]);
    if (loadBalancer?.consistentHash === undefined) {
      expect(balancers('router')).toEqual([{ policy: 'round-robin' }, { policy: 'round-robin' }]);
    }
  });
});
