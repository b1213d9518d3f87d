import { describe, expect, test } from 'vitest';
import type { Settings } from '../../config/settings.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import { host, mergeBench, rule } from './testing/merge-bench.ts';

/** Names of the rules in force for `shop/web` at the client. */
function rulesFor(client: string, rules: readonly DestinationRule[], settings: Partial<Settings> = {}): string[] {
  const [web] = mergeBench({ rules, settings }).compile().outbound(client);
  return web!.subsets[0]!.origins.decidedBy.map(({ namespace, name }) => `${namespace}/${name}`);
}

describe('look-up of DestinationRules', () => {
  const at = (name: string, ruleHost = host, exportTo?: string[], createdAt = 0) =>
    rule({ name, createdAt }, { host: ruleHost, ...(exportTo ? { exportTo } : {}) });
  const forFront = rule('home/front', { host: '*', workloadSelector: { matchLabels: { tier: 'front' } } });

  test.each([
    ['client namespace beats an exact rule beside the service', [at('home/a', '*.local'), at('shop/b')], ['home/a']],
    ['service namespace beats the root', [at('shop/b', '*'), at('mesh-system/c')], ['shop/b']],
    ['root namespace last', [at('mesh-system/c', '*.local')], ['mesh-system/c']],
    ['most specific host of a pool', [at('home/a', '*'), at('home/b', '*.shop.svc.cluster.local')], ['home/b']],
    ['short name beside the service', [at('shop/b', 'web')], ['shop/b']],
    ['short name elsewhere is another host', [at('home/a', 'web')], []],
    ['private rule of the service namespace', [at('shop/b', host, ['.'])], []],
    ['private rule of the client namespace', [at('home/a', host, ['.'])], ['home/a']],
    ['exported to the client', [at('shop/b', host, ['home'])], ['shop/b']],
    ['exported to others only: not in force at home', [at('home/a', host, ['shop'])], []],
    ['exported to nobody', [at('home/a', host, ['~'])], []],
    [
      'a hidden exact host ends its pool',
      [at('shop/b', host, ['x']), at('shop/c', '*'), at('mesh-system/d')],
      ['mesh-system/d'],
    ],
    ['a private exact host does not', [at('shop/b', host, ['.']), at('shop/c', '*')], ['shop/c']],
    [
      'all rules of one host, oldest first',
      [at('home/a', host, ['.'], 2), at('home/b', host, ['*'], 1)],
      ['home/b', 'home/a'],
    ],
    ['a rule for these very clients first', [at('home/a'), forFront], ['home/front']],
    [
      'two spellings of one host',
      [at('shop/b', 'web'), at('shop/a', 'WEB.shop.svc.cluster.local')],
      ['shop/a', 'shop/b'],
    ],
  ])('finds the rules in force: %s', (_, rules, expected) => {
    expect(rulesFor('home/client', rules)).toEqual(expected);
  });

  test('keeps a rule with a selector from other clients', () => {
    expect(rulesFor('shop/web', [{ ...forFront, namespace: 'shop' }])).toEqual([]);
  });

  test('skips the first pool for clients in the root namespace, but for its private rules', () => {
    const rules = [at('mesh-system/a', '*.local'), at('shop/b')];
    expect(rulesFor('mesh-system/gateway', rules)).toEqual(['shop/b']);
    expect(rulesFor('mesh-system/gateway', [...rules, at('mesh-system/c', '*', ['.'])])).toEqual(['mesh-system/c']);
  });

  test('takes the mesh default where exportTo is absent', () => {
    expect(rulesFor('home/client', [at('shop/b')], { defaultDestinationRuleExportTo: ['.'] })).toEqual([]);
  });
});
