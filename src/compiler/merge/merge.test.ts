import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import { runs } from '../../testing/effort.ts';
import * as make from '../../testing/objects.ts';
import type { Workload } from '../topology/model.ts';
import { host, mergeBench, peer, rule, selector, shopObjects } from './testing/merge-bench.ts';

describe('merge after a change', () => {
  const own = peer('shop/w', { selector, mtls: { mode: 'STRICT' } });
  const mesh = peer('mesh-system/m', { mtls: { mode: 'STRICT' } });
  const a = rule('home/a', { host, trafficPolicy: { connectionPool: { tcp: { maxConnections: 1 } } } });

  function answers(
    { effective, outbound }: ReturnType<ReturnType<typeof mergeBench>['compile']>,
    web: Workload,
    other: Workload,
  ) {
    return { web: effective.inbound(web), other: effective.inbound(other), outbound: outbound('home/client') };
  }

  test.each([
    ['nothing', { peers: [own], rules: [a] }, []],
    ['a workload policy', { peers: [{ ...own }], rules: [a] }, ['web']],
    ['a workload policy gone', { peers: [], rules: [a] }, ['web']],
    ['a mesh policy', { peers: [own, mesh], rules: [a] }, ['web', 'other', 'outbound']],
    ['a rule', { peers: [own], rules: [{ ...a }] }, ['outbound']],
    ['a rule of no concern', { peers: [own], rules: [a, rule('shop/b', { host: 'x.com' })] }, []],
  ] as const)('makes anew only what depends on it: %s', (_, change, expected) => {
    const { compile, workload } = mergeBench({ peers: [own], rules: [a] });
    const web = workload('shop/web');
    const other = workload('shop/other');
    const first = compile();
    const before = answers(first, web, other);
    const second = compile(change, first.effective);
    const after = answers(second, web, other);
    const keys = Object.keys(before) as (keyof typeof before)[];
    expect(keys.filter((key) => before[key] !== after[key])).toEqual(expected);
    expect(second.diagnostics).toEqual(compile(change).diagnostics);
    expect(answers(compile({}, second.effective), web, other)).toEqual(before);
  });

  test('keeps the answers for hosts that a new rule does not cover', () => {
    const objects = [...shopObjects, make.service('shop/db', { ports: [{ name: 'tcp', port: 5432 }] })];
    const { compile } = mergeBench({ objects });
    const first = compile();
    const before = first.outbound('home/client');
    const after = compile({ rules: [a] }, first.effective).outbound('home/client');
    expect(after.map((item, i) => [item.service.name, item === before[i]])).toEqual([
      ['db', true],
      ['web', false],
    ]);
  });
});

test('merge does not depend on the order of policies', () => {
  const peers = [
    peer('shop/a', { selector, portLevelMtls: { 81: { mode: 'STRICT' } } }),
    peer('shop/b', { selector, mtls: { mode: 'DISABLE' } }),
    peer('shop/c', { mtls: { mode: 'STRICT' } }),
    peer('shop/d', { mtls: { mode: 'DISABLE' } }),
    peer('mesh-system/a', {}),
  ];
  const rules = [
    rule('home/a', { host: '*.local', subsets: [{ name: 'v1' }] }),
    rule('home/b', { host: '*.local', subsets: [{ name: 'v1' }, { name: 'v0' }] }),
    rule('shop/a', { host: 'web', exportTo: ['.'] }),
    rule('home/c', { host: '*', workloadSelector: { matchLabels: { tier: 'front' } } }),
  ];
  const { compile, workload } = mergeBench({});
  const all = (order: readonly PeerAuthentication[], ruleOrder: readonly DestinationRule[]) => {
    const { effective, diagnostics, outbound } = compile({ peers: order, rules: ruleOrder });
    return [diagnostics.sort(), effective.inbound(workload('shop/web')), outbound('home/client'), outbound('shop/web')];
  };
  const expected = all(peers, rules);
  const shuffled = <T>(items: T[]) => fc.shuffledSubarray(items, { minLength: items.length });
  fc.assert(
    fc.property(shuffled(peers), shuffled(rules), (order, ruleOrder) => {
      expect(all(order, ruleOrder)).toEqual(expected);
    }),
    runs(30),
  );
});
