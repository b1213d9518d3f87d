import { rules } from '../generated/lint-rules.ts';
import { nearest } from '../lib/nearest.ts';
import type { NumberWithoutRule } from './numbers/entry.ts';
import { numbersWithoutRule } from './numbers/numbers.ts';
import type { Rule, RunnableRule } from './rule.ts';

/** Every rule, sorted by code. */
export const allRules: readonly Rule[] = rules;

/** Whether all built-in rules are in the list; only then does a run also report diagnostics of the compiler. */
export function isWhole(rules: readonly RunnableRule[]): boolean {
  if (rules === allRules) return true;
  const some = new Set(rules);
  return allRules.every((rule) => some.has(rule));
}

/** The rule of a code or of a number of the catalogue, however it is capitalised. */
export function findRule(name: string): Rule | undefined {
  const wanted = name.toLowerCase();
  return allRules.find(({ code, id }) => code === wanted || id.toLowerCase() === wanted);
}

/** The rules that stand for a code of another tool. */
export function rulesOfPeer(peer: string): readonly Rule[] {
  const wanted = peer.toUpperCase();
  return allRules.filter(({ peers = [] }) => peers.includes(wanted));
}

/** The number of the catalogue without a rule, however it is capitalised. */
export function findNumber(name: string): NumberWithoutRule | undefined {
  return numbersWithoutRule.find(({ id }) => id === name.toUpperCase());
}

/** The numbers without a rule that stand for a code of another tool. */
export function numbersOfPeer(peer: string): readonly NumberWithoutRule[] {
  return numbersWithoutRule.filter(({ peers = [] }) => peers.includes(peer.toUpperCase()));
}

/** The code that a mistyped one was probably meant to be. */
export function nearestRule(name: string): string | undefined {
  return nearest(
    name,
    allRules.map(({ code }) => code),
  );
}
