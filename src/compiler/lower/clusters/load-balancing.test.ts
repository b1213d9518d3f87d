import { describe, expect, test } from 'vitest';
import type { TrafficBlocks } from '../../../policy/destination-rule.ts';
import { clustersOf } from './testing/clusters-of.ts';

describe('load balancing of a rule', () => {
  test.each<[TrafficBlocks['loadBalancer'], object]>([
    [{ simple: 'ROUND_ROBIN' }, { policy: 'round-robin' }],
    [{ simple: 'LEAST_CONN' }, { policy: 'least-request' }],
    [{ simple: 'LEAST_REQUEST' }, { policy: 'least-request' }],
    [{ simple: 'RANDOM' }, { policy: 'random' }],
    [{ consistentHash: { httpHeaderName: 'x' } }, { policy: 'ring-hash', minimumRingSize: 1024 }],
    [{ consistentHash: { httpHeaderName: 'x', minimumRingSize: 7 } }, { policy: 'ring-hash', minimumRingSize: 7 }],
    [
      { consistentHash: { httpHeaderName: 'x', ringHash: { minimumRingSize: 8 } } },
      { policy: 'ring-hash', minimumRingSize: 8 },
    ],
    [{ consistentHash: { httpHeaderName: 'x', maglev: { tableSize: 11 } } }, { policy: 'maglev', tableSize: 11 }],
  ])('a balancer %j', (loadBalancer, expected) => {
    expect(clustersOf({ rule: { ...(loadBalancer && { loadBalancer }) } }).first.loadBalancing).toEqual(expected);
  });

  test.each<[TrafficBlocks['loadBalancer'], object]>([
    [{ warmupDurationSecs: '30s' }, { policy: 'round-robin', warmupMs: 30_000 }],
    [
      { simple: 'LEAST_REQUEST', warmupDurationSecs: '1m' },
      { policy: 'least-request', warmupMs: 60_000 },
    ],
    [{ simple: 'RANDOM', warmupDurationSecs: '1m' }, { policy: 'random' }],
  ])('load balancer %j lets endpoints warm up', (loadBalancer, expected) => {
    expect(clustersOf({ rule: { ...(loadBalancer && { loadBalancer }) } }).first.loadBalancing).toEqual(expected);
  });

  const failover = [{ from: 'a', to: 'b' }];
  const distribute = [{ from: '*', to: { a: 100 } }];
  test.each<[string, TrafficBlocks, string[]]>([
    ['failover alone', { loadBalancer: { localityLbSetting: { failover } } }, ['localityLbSetting.failover']],
    [
      'failover with outlier detection',
      { loadBalancer: { localityLbSetting: { failover, failoverPriority: ['x'] } }, outlierDetection: {} },
      [],
    ],
    ['shares', { loadBalancer: { localityLbSetting: { distribute } } }, []],
    [
      'shares that are off',
      { loadBalancer: { localityLbSetting: { distribute, enabled: false } } },
      ['localityLbSetting.distribute'],
    ],
    [
      'shares and labels',
      { loadBalancer: { localityLbSetting: { distribute, failoverPriority: ['x'] } }, outlierDetection: {} },
      ['localityLbSetting.failoverPriority'],
    ],
    [
      'the address that was dialled',
      { loadBalancer: { simple: 'PASSTHROUGH', warmupDurationSecs: '1s', localityLbSetting: { distribute } } },
      ['warmupDurationSecs', 'localityLbSetting.distribute'],
    ],
    ['a random choice', { loadBalancer: { simple: 'RANDOM', warmupDurationSecs: '1s' } }, ['warmupDurationSecs']],
    [
      'a hash',
      { loadBalancer: { consistentHash: { useSourceIp: true }, warmupDurationSecs: '1s' } },
      ['warmupDurationSecs'],
    ],
  ])('with %s, fields without effect are named', (_, rule, fields) => {
    const { diagnostics } = clustersOf({ rule });
    expect(diagnostics.map(({ code, span }) => [code, span?.file.split('#')[1]])).toEqual(
      fields.map((field) => ['field-without-effect', `spec.trafficPolicy.loadBalancer.${field}`]),
    );
  });
});
