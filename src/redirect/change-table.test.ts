import { describe, expect, test } from 'vitest';
import { asDesired, changeTable, type DesiredTable } from './change-table.ts';
import type { RedirectRule } from './rule.ts';
import { parseSavedRules, type SavedTable } from './saved-rules.ts';

const chains = ['MESH_REDIRECT', 'MESH_OUTPUT'];
const rules = [
  rule('MESH_REDIRECT', '-p tcp -j REDIRECT --to-ports 15001'),
  rule('OUTPUT', '-p tcp -j MESH_OUTPUT'),
  rule('MESH_OUTPUT', '-p tcp --dport 80 -j MESH_REDIRECT'),
  { ...rule('PREROUTING', '-i eth1 -m comment --comment pilot-agent-istio-iptables -j RETURN'), at: 1 },
];

function rule(chain: string, args: string): RedirectRule {
  return { table: 'nat', chain, at: 'end', args: args.split(' '), purpose: '' };
}

function saved(...lines: readonly string[]): SavedTable {
  const text = ['*nat', ':PREROUTING ACCEPT [0:0]', ':OUTPUT ACCEPT [1:2]', ...lines, 'COMMIT'].join('\n');
  return parseSavedRules(text).get('nat') ?? new Map();
}

function change(table: SavedTable, desired: DesiredTable = { chains, rules }): string[] {
  return changeTable('nat', table, desired).split('\n').slice(1, -2);
}

const own = [':MESH_REDIRECT - [0:0]', ':MESH_OUTPUT - [0:0]'];
const ownRules = [
  '-A MESH_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
  '-A MESH_OUTPUT -p tcp -m tcp --dport 80 -j MESH_REDIRECT',
];
const inPlace = [
  ...own,
  '-A PREROUTING -i eth1 -m comment --comment pilot-agent-istio-iptables -j RETURN',
  '-A OUTPUT -p tcp -j MESH_OUTPUT',
  ...ownRules,
];

describe('changeTable', () => {
  test('makes everything in an empty table', () => {
    expect(change(saved())).toEqual([
      '-N MESH_REDIRECT',
      '-N MESH_OUTPUT',
      '-A MESH_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
      '-A OUTPUT -p tcp -j MESH_OUTPUT',
      '-A MESH_OUTPUT -p tcp --dport 80 -j MESH_REDIRECT',
      '-I PREROUTING 1 -i eth1 -m comment --comment pilot-agent-istio-iptables -j RETURN',
    ]);
  });

  test.each([
    ['everything is in place', inPlace],
    ['rules of others stand between', [...inPlace, '-A OUTPUT -d 10.0.0.1/32 -j ACCEPT', '-A PREROUTING -j DOCKER']],
  ])('changes nothing where %s', (_, lines) => {
    expect(changeTable('nat', saved(...lines), { chains, rules })).toBe('');
  });

  test.each([
    ['a rule of a chain is missing', inPlace.slice(0, -1)],
    ['the jump is missing', inPlace.filter((line) => !line.startsWith('-A OUTPUT'))],
    ['the jump is there twice', [...inPlace, '-A OUTPUT -p tcp -j MESH_OUTPUT']],
    ['a chain of ours is too many', [...own, ':MESH_INBOUND - [0:0]', ...inPlace.slice(2)]],
    ['a rule stands at another place', [...own, ...inPlace.slice(2, 4), ...[...ownRules, ownRules[0] ?? '']]],
  ])('makes the table anew where %s', (_, lines) => {
    expect(change(saved(...lines)).length).toBeGreaterThan(0);
  });

  test('keeps the place among rules of others, and leaves those alone', () => {
    const lines = [
      ...own,
      '-A OUTPUT -j FIRST',
      '-A OUTPUT -p tcp -j MESH_OUTPUT',
      '-A OUTPUT -p udp -m udp --dport 53 -m comment --comment mesh -j DNAT --to-destination 127.0.0.1:15013',
      '-A OUTPUT -m comment --comment "not mesh" -j LAST',
      '-A MESH_OUTPUT -j MESH_REDIRECT',
    ];
    const jumps = [
      rule('OUTPUT', '-p tcp -j MESH_OUTPUT'),
      rule('OUTPUT', '-p udp -m comment --comment pilot-agent-istio-iptables -j RETURN'),
    ];
    expect(change(saved(...lines), { chains: ['MESH_OUTPUT'], rules: jumps })).toEqual([
      '-F MESH_REDIRECT',
      '-F MESH_OUTPUT',
      '-D OUTPUT -p tcp -j MESH_OUTPUT',
      '-D OUTPUT -p udp -m udp --dport 53 -m comment --comment mesh -j DNAT --to-destination 127.0.0.1:15013',
      '-I OUTPUT 2 -p tcp -j MESH_OUTPUT',
      '-I OUTPUT 3 -p udp -m comment --comment pilot-agent-istio-iptables -j RETURN',
      '-X MESH_REDIRECT',
    ]);
  });

  test('leaves a chain that somebody else jumps to, and what it needs', () => {
    const lines = [...own, ':MESH_INBOUND - [0:0]', ':THEIRS - [0:0]', ...ownRules, '-A THEIRS -p tcp -g MESH_OUTPUT'];
    const held = saved(...lines);
    expect(change(held, { chains: [], rules: [] })).toEqual(['-F MESH_INBOUND', '-X MESH_INBOUND']);
    const rest = saved(...lines.filter((line) => !line.includes('INBOUND')));
    expect(changeTable('nat', rest, { chains: [], rules: [] })).toBe('');
  });

  test('goes back to a state that was read', () => {
    const before = saved(
      ...own,
      '-A OUTPUT -j FIRST',
      '-A OUTPUT -p tcp -j MESH_OUTPUT',
      '-A OUTPUT -j LAST',
      ...ownRules,
    );
    expect(changeTable('nat', before, asDesired('nat', before))).toBe('');
    expect(change(saved('-A OUTPUT -j FIRST', '-A OUTPUT -j LAST'), asDesired('nat', before))).toEqual([
      '-N MESH_REDIRECT',
      '-N MESH_OUTPUT',
      '-A MESH_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
      '-A MESH_OUTPUT -p tcp -m tcp --dport 80 -j MESH_REDIRECT',
      '-I OUTPUT 2 -p tcp -j MESH_OUTPUT',
    ]);
  });
});
