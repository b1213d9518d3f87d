import { nearest } from '../lib/nearest.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type Category, categories, type Rule } from './rule.ts';
import { allRules, findRule, nearestRule } from './rule-index.ts';

/** The rules of some codes and categories; all of them when neither is given. Throws UsageError for a name that is none. */
export function selectRules(
  codes: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): readonly Rule[] {
  if (codes === undefined && wanted === undefined) return allRules;
  const named = new Set((codes ?? []).map(ruleOf));
  const chosen = new Set((wanted ?? []).map(categoryOf));
  return allRules.filter((rule) => named.has(rule) || chosen.has(rule.category));
}

/** The rule of a code or number; a UsageError says which one was probably meant. */
export function ruleOf(name: string): Rule {
  const rule = findRule(name);
  if (rule !== undefined) return rule;
  const guess = nearestRule(name);
  const hint = guess === undefined ? '"meshpol rules" lists all of them' : `did you mean "${guess}"?`;
  throw new UsageError(`no rule has the code "${name}": ${hint}`);
}

function categoryOf(name: string): Category {
  const found = categories.find((category) => category === name);
  if (found !== undefined) return found;
  const guess = nearest(name, categories);
  const hint = guess === undefined ? `expected one of ${categories.join(', ')}` : `did you mean "${guess}"?`;
  throw new UsageError(`no category is called "${name}": ${hint}`);
}
