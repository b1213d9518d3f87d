import { describe, expect, test } from 'vitest';
import { usualBackend } from './backend.ts';
import { settle } from './flags.ts';
import { parseRequest } from './parse-config.ts';
import { planRedirect, type RedirectPlan } from './plan.ts';
import { desiredByPlan, desiredNothing, emptyFilter, planChange } from './plan-change.ts';
import type { RedirectState } from './read-state.ts';
import { parseSavedRules } from './saved-rules.ts';

const host = { database: { users: new Map(), groups: new Map() }, families: ['IPv4'] } as const;
const backend = usualBackend('IPv4');
const legacy = {
  ...backend,
  variant: 'legacy',
  save: 'iptables-legacy-save',
  restore: 'iptables-legacy-restore',
} as const;

function plan(mode: string, mark = '1337'): RedirectPlan {
  const flags = {
    'mesh-inbound-interception-mode': mode,
    'mesh-inbound-ports': '80',
    'mesh-inbound-tproxy-mark': mark,
  };
  return planRedirect(parseRequest(settle(flags, {}), {}, host).request.config);
}

/** A namespace with the chains of a plan, their rules, and its routing. */
function stateOf({ rules, routing }: RedirectPlan): RedirectState {
  const own = (rules.get('IPv4') ?? []).filter(({ chain }) => chain.startsWith('MESH'));
  const tables = ['mangle', 'nat'].map((table) => {
    const chains = new Set(own.filter((rule) => rule.table === table).map(({ chain }) => `:${chain} - [0:0]`));
    const lines = own.filter((rule) => rule.table === table).map(({ chain, args }) => `-A ${chain} ${args.join(' ')}`);
    return [`*${table}`, ...chains, ...lines, 'COMMIT'].join('\n');
  });
  return {
    filters: [{ backend, tables: parseSavedRules(tables.join('\n')), isChosen: true }],
    routing: { own: routing, others: [] },
  };
}

/** Each command by its first words, a restore by its tables. */
function outline(state: RedirectState, wanted: RedirectPlan): string[] {
  return planChange(state, desiredByPlan(wanted), 5).map(({ argv, input }) =>
    input === undefined ? argv.slice(2, 4).join(' ') : (input.match(/^\*\w+/gm) ?? []).join(' '),
  );
}

const none = { own: [], others: [] };
const nothing: RedirectState = { filters: [emptyFilter('IPv4', backend)], routing: none };

describe('planChange', () => {
  test.each<[string, RedirectState, RedirectPlan, readonly string[]]>([
    [
      'prepares routing before the rules that need it',
      nothing,
      plan('TPROXY'),
      ['route add', 'rule add', '*mangle *nat'],
    ],
    [
      'captures in nat before mangle lets go, with a rule for what both would take',
      stateOf(plan('TPROXY')),
      plan('REDIRECT'),
      ['*nat *mangle *nat', 'rule del', 'route del'],
    ],
    [
      'captures in mangle before nat lets go, with a rule for what both would take',
      stateOf(plan('REDIRECT')),
      plan('TPROXY'),
      ['route add', 'rule add', '*nat *mangle *nat'],
    ],
    [
      'leads the new mark before the old one goes',
      stateOf(plan('TPROXY')),
      plan('TPROXY', '7'),
      ['rule add', '*mangle *nat', 'rule del'],
    ],
  ])('%s', (_, before, wanted, expected) => {
    expect(outline(before, wanted)).toEqual(expected);
  });

  test.each([
    ['REDIRECT', 'TPROXY', /^\*nat\n-I MESH_INBOUND 1 -m mark --mark 1337 -j RETURN\nCOMMIT\n\*mangle\n/],
    ['TPROXY', 'REDIRECT', /\n\*nat\n-D MESH_INBOUND -m mark --mark 1337 -j RETURN\nCOMMIT\n$/],
  ])('from %s to %s, nat leaves alone what mangle has taken while both capture', (from, to, expected) => {
    const steps = planChange(stateOf(plan(from)), desiredByPlan(plan(to)), 5);
    const text = steps.flatMap(({ input }) => input ?? []).join('');
    expect(text).toMatch(expected);
    expect(text.match(/MESH_INBOUND.* --mark 1337 -j RETURN/g)).toHaveLength(2);
  });

  test('makes the rules in the chosen filter and takes them out of the other', () => {
    const both = stateOf(plan('REDIRECT')).filters.map((filter) => ({ ...filter, backend: legacy, isChosen: false }));
    const state = { filters: [...both, ...nothing.filters], routing: none };
    const steps = planChange(state, desiredByPlan(plan('REDIRECT')), 5);
    expect(steps.map(({ argv }) => argv.join(' '))).toEqual([
      'iptables-restore --noflush --wait=5',
      'iptables-legacy-restore --noflush --wait=5',
    ]);
    expect(steps[1]?.input).toMatch(/^\*nat\n(-F MESH_\w+\n)+(-X MESH_\w+\n)+COMMIT\n$/);
  });

  test('does nothing where nothing is and nothing is wanted', () => {
    expect(planChange(nothing, desiredNothing, 5)).toEqual([]);
  });
});
