import { isOlderRule } from './older-rules.ts';
import { ownChains, ownComment, type Table, tables } from './rule.ts';

/** One chain as `iptables-save` prints it. */
export interface SavedChain {
  readonly isBuiltIn: boolean;
  /** Rules in order, without `-A CHAIN`. */
  readonly rules: readonly string[];
}

/** Chains of one table by name, in the order in which they were printed. */
export type SavedTable = ReadonlyMap<string, SavedChain>;

/** The tables that redirection uses, out of the output of `iptables-save`; one that is not printed is empty. */
export function parseSavedRules(text: string): ReadonlyMap<Table, SavedTable> {
  const found = new Map<string, Map<string, { isBuiltIn: boolean; rules: string[] }>>();
  let current = new Map<string, { isBuiltIn: boolean; rules: string[] }>();
  for (const line of text.split('\n')) {
    const [, table, chain, policy, appended, rule] =
      /^(?:\*(\S+)|:(\S+) (\S+) .*|-A (\S+) (.*))$/.exec(line.trimEnd()) ?? [];
    if (table !== undefined) {
      current = new Map();
      found.set(table, current);
    } else if (chain !== undefined) {
      current.set(chain, { isBuiltIn: policy !== '-', rules: [] });
    } else if (appended !== undefined && rule !== undefined) {
      current.get(appended)?.rules.push(rule);
    }
  }
  return new Map(tables.map((table) => [table, found.get(table) ?? new Map()]));
}

/** Whether a chain is one of ours. */
export function isOwnChain(table: Table, chain: string): boolean {
  return ownChains[table].includes(chain);
}

/** Whether a rule of a built-in chain is ours: it jumps to a chain of ours, carries our comment, or is an older one. */
export function isOwnRule(table: Table, chain: string, rule: string): boolean {
  const target = / ?-[jg] (\S+)/.exec(rule)?.[1];
  if (target !== undefined && isOwnChain(table, target)) return true;
  return ` ${rule} `.includes(` -m comment --comment ${ownComment} `) || isOlderRule(table, chain, rule);
}

/** A rule of ours in a built-in chain, with its position there, counted from 1 among all rules. */
export interface PlacedRule {
  readonly chain: string;
  readonly position: number;
  readonly rule: string;
}

/** Our rules in built-in chains, in order. */
export function placedRules(table: Table, saved: SavedTable): PlacedRule[] {
  return [...saved].flatMap(([chain, { isBuiltIn, rules }]) =>
    isBuiltIn
      ? rules.flatMap((rule, i) => (isOwnRule(table, chain, rule) ? [{ chain, position: i + 1, rule }] : []))
      : [],
  );
}

/**
 * Chains of ours that a chain of somebody else's jumps to, with that chain's name; and what they jump to in turn. The
 * packet filter refuses to remove them.
 */
export function heldChains(table: Table, saved: SavedTable): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  const hold = (chain: string, by: string): void => {
    if (!isOwnChain(table, chain) || !saved.has(chain) || held.has(chain)) return;
    held.set(chain, by);
    for (const target of targets(saved.get(chain))) hold(target, by);
  };
  for (const [name, chain] of saved) {
    if (chain.isBuiltIn || isOwnChain(table, name)) continue;
    for (const target of targets(chain)) hold(target, name);
  }
  return held;
}

function targets(chain: SavedChain | undefined): string[] {
  return (chain?.rules ?? []).flatMap((rule) => / ?-[jg] (\S+)/.exec(rule)?.[1] ?? []);
}
