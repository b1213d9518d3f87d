import { normalForm } from './normal-form.ts';
import type { RedirectRule, Table } from './rule.ts';
import { heldChains, isOwnChain, type PlacedRule, placedRules, type SavedTable } from './saved-rules.ts';

/** What is to be ours in one table. */
export interface DesiredTable {
  /** Our chains, in the order in which they are made. */
  readonly chains: readonly string[];
  readonly rules: readonly RedirectRule[];
}

/**
 * The block of `iptables-restore --noflush` input that makes our part of a table what is desired, as one transaction;
 * empty when it is so already. Rules of others keep their order, and ours their place among them.
 */
export function changeTable(table: Table, saved: SavedTable, desired: DesiredTable): string {
  if (isAsDesired(table, saved, desired)) return '';
  const held = heldChains(table, saved);
  const present = [...saved.keys()].filter((chain) => isOwnChain(table, chain));
  const stale = present.filter((chain) => !desired.chains.includes(chain) && !held.has(chain));
  const placed = placedRules(table, saved);
  const lines = [
    ...desired.chains.filter((chain) => !saved.has(chain)).map((chain) => `-N ${chain}`),
    ...present.filter((chain) => desired.chains.includes(chain) || stale.includes(chain)).map((chain) => `-F ${chain}`),
    ...placed.map(({ chain, rule }) => `-D ${chain} ${rule}`),
    ...additions(desired.rules, placed),
    ...stale.map((chain) => `-X ${chain}`),
  ];
  return `*${table}\n${lines.join('\n')}\nCOMMIT\n`;
}

/** The desired state that a saved one is: to go back to it. */
export function asDesired(table: Table, saved: SavedTable): DesiredTable {
  const chains = [...saved].filter(([chain]) => isOwnChain(table, chain));
  const purpose = 'as it was';
  return {
    chains: chains.map(([chain]) => chain),
    rules: [
      ...chains.flatMap(([chain, { rules }]) =>
        rules.map((rule): RedirectRule => ({ table, chain, at: 'end', args: rule.split(' '), purpose })),
      ),
      ...placedRules(table, saved).map(
        ({ chain, position, rule }): RedirectRule => ({ table, chain, at: position, args: rule.split(' '), purpose }),
      ),
    ],
  };
}

/** The order of our rules counts, not where others stand between them. */
function isAsDesired(table: Table, saved: SavedTable, desired: DesiredTable): boolean {
  const held = heldChains(table, saved);
  const present = [...saved.keys()].filter((chain) => isOwnChain(table, chain));
  if (present.some((chain) => !desired.chains.includes(chain) && !held.has(chain))) return false;
  if (desired.chains.some((chain) => !saved.has(chain))) return false;
  const wanted = finalOrder(desired.rules);
  const placed = placedRules(table, saved);
  const chains = new Set([...desired.chains, ...wanted.keys(), ...placed.map(({ chain }) => chain)]);
  return [...chains].every((chain) => {
    const isOwn = isOwnChain(table, chain);
    const there = isOwn ? (saved.get(chain)?.rules ?? []) : placed.filter((rule) => rule.chain === chain).map(textOf);
    return there.join('\n') === (wanted.get(chain) ?? []).join('\n');
  });
}

/** Rules by chain, in the order in which they stand once all are made. */
function finalOrder(rules: readonly RedirectRule[]): ReadonlyMap<string, string[]> {
  const chains = new Map<string, string[]>();
  for (const { chain, at, args } of rules) {
    const list = chains.get(chain) ?? [];
    list.splice(at === 'end' ? list.length : at - 1, 0, normalForm(args));
    chains.set(chain, list);
  }
  return chains;
}

/** In a built-in chain that holds rules of ours already, new ones take their place and not the chain's end. */
function additions(rules: readonly RedirectRule[], placed: readonly PlacedRule[]): string[] {
  const next = new Map<string, number>();
  for (const { chain, position } of placed) if (!next.has(chain)) next.set(chain, position);
  return rules.map(({ chain, at, args }) => {
    const position = next.get(chain);
    if (position !== undefined) next.set(chain, position + 1);
    const place = at === 'end' ? position : at;
    return place === undefined ? `-A ${chain} ${args.join(' ')}` : `-I ${chain} ${place} ${args.join(' ')}`;
  });
}

function textOf({ rule }: PlacedRule): string {
  return rule;
}
