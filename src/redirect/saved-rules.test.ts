import { describe, expect, test } from 'vitest';
import { normalForm } from './normal-form.ts';
import { ownComment, type Table } from './rule.ts';
import { isOwnRule } from './saved-rules.ts';
import { readRuleCases } from './testing/rule-cases.ts';

/** Rules of built-in chains that jump to no chain of ours, out of all rule lists, as `iptables-save` prints them. */
const marked = readRuleCases()
  .flatMap(({ rules }) => [rules.IPv4, rules.IPv6])
  .flatMap((text) => text.split(/^\*/m))
  .flatMap((block) => block.split('\n').map((line) => [block.split('\n')[0] as Table, line] as const))
  .flatMap(([table, line]) => {
    const [, chain = '', rule] = /^-[AI] ([A-Z]+) (?:\d+ )?(.*--comment .*)$/.exec(line) ?? [];
    return rule === undefined ? [] : [{ table, chain, rule: normalForm(rule.split(' ')) }];
  });

describe('isOwnRule', () => {
  test('knows every rule that carries our comment', () => {
    expect(marked.length).toBeGreaterThan(20);
    for (const { table, chain, rule } of marked)
      expect({ rule, own: isOwnRule(table, chain, rule) }).toEqual({ rule, own: true });
  });

  test('knows what an earlier version made under its comment, and only in the chain where it made it', () => {
    const older = marked
      .filter(({ rule }) => !/^-d \S+ -i|^-i \S+ -p/.test(rule))
      .map((it) => ({ ...it, rule: it.rule.replace(ownComment, 'mesh') }));
    expect(older.map(({ chain }) => chain)).toEqual(expect.arrayContaining(['PREROUTING', 'OUTPUT', 'POSTROUTING']));
    for (const { table, chain, rule } of older) {
      expect({ rule, own: isOwnRule(table, chain, rule) }).toEqual({ rule, own: true });
      expect({ rule, own: isOwnRule(table, 'INPUT', rule) }).toEqual({ rule, own: false });
    }
  });

  test.each<[Table, string, string]>([
    ['nat', 'PREROUTING', '-s 10.0.0.0/8 -i eth1 -m comment --comment mesh -j RETURN'],
    ['nat', 'PREROUTING', '-i eth1 -m comment --comment mesh -j ACCEPT'],
    ['nat', 'OUTPUT', '-p udp -m udp --dport 53 -m comment --comment mesh -j DNAT --to-destination 10.0.0.10:53'],
    ['nat', 'OUTPUT', '-p tcp -m tcp --dport 53 -m comment --comment mesh -j RETURN'],
    ['nat', 'POSTROUTING', '-o mesh0 -m comment --comment mesh -j MASQUERADE'],
    ['mangle', 'OUTPUT', '-m comment --comment mesh -j MARK --set-xmark 0x539/0xffffffff'],
    ['nat', 'OUTPUT', '-m comment --comment "pilot-agent-istio-iptables of others" -j RETURN'],
  ])('leaves a rule of others alone that has the same word for its comment: %s %s %s', (table, chain, rule) => {
    expect(isOwnRule(table, chain, rule)).toBe(false);
  });
});
