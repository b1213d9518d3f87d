import type { AccessRule, AccessRules, Condition } from '../lift/rbac.ts';
import { type RuleKey, ruleKey } from './rule-key.ts';

type Rules = AccessRules['rules'];

/**
 * Keys of each rule, by its place: a request that meets the rule has at least one of them. Of several properties of a rule it is
 * the one that fewest rules share. Undefined for rules without keys, and for all where most have none.
 */
export function keysOf(rules: Rules): readonly (readonly RuleKey[] | undefined)[] {
  const uses = countKeys(rules);
  const keys = rules.map(({ condition, gap }: AccessRule) =>
    // What is not understood may mean anything.
    gap === undefined ? rarestKeys(condition, uses) : undefined,
  );
  return keys.filter((own) => own === undefined).length * 2 > rules.length ? [] : keys;
}

/** How many leaves have a key, by what is read and its text. */
type KeyUses = ReadonlyMap<string, number>;

function countKeys(rules: Rules): KeyUses {
  const uses = new Map<string, number>();
  const count = (condition: Condition): void => {
    switch (condition.kind) {
      case 'any':
      case 'not':
        return;
      case 'all':
      case 'some':
        condition.of.forEach(count);
        return;
      default: {
        const key = ruleKey(condition);
        if (key !== undefined) uses.set(nameOf(key), (uses.get(nameOf(key)) ?? 0) + 1);
      }
    }
  };
  for (const { condition } of rules) count(condition);
  return uses;
}

function nameOf({ reading, text }: RuleKey): string {
  return `${reading} ${text}`;
}

/** Keys of which a request has at least one if it meets the condition; undefined: there are none. */
function rarestKeys(condition: Condition, uses: KeyUses): readonly RuleKey[] | undefined {
  switch (condition.kind) {
    case 'any':
    case 'not':
      return undefined;
    case 'all': {
      const each = condition.of.map((member) => rarestKeys(member, uses)).filter((keys) => keys !== undefined);
      const cost = (keys: readonly RuleKey[]): number =>
        keys.reduce((sum, key) => sum + (uses.get(nameOf(key)) ?? 0), 0);
      return each.sort((a, b) => cost(a) - cost(b))[0];
    }
    case 'some': {
      const each = condition.of.map((member) => rarestKeys(member, uses));
      return each.every((keys) => keys !== undefined) ? each.flat() : undefined;
    }
    default: {
      const key = ruleKey(condition);
      return key && [key];
    }
  }
}
