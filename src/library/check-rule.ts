import { registry } from '../diagnostics/registry.ts';
import { nearest } from '../lib/nearest.ts';
import { categories, directions } from '../lint/rule.ts';
import { findRule } from '../lint/rule-index.ts';
import type { Rule } from './rule.ts';

/** The code of the finding that says that a rule failed. */
export const failedCode = 'rule-failed';

const texts = ['title', 'why', 'hint'] as const;

/** The values that a field may have. */
const choices: Readonly<Record<string, readonly string[]>> = {
  severity: ['error', 'warning', 'info'],
  confidence: ['certain', 'likely'],
  needs: ['policies', 'topology'],
  category: categories,
  direction: directions,
};

const optional = ['category', 'direction'];

const fields = ['code', ...texts, 'kinds', ...Object.keys(choices), 'check'];

/**
 * Throws a TypeError for what is no rule: its code must be in kebab-case and of no rule and no diagnostic of ours, and what
 * it says of itself complete and without contradiction.
 */
export function checkRule(rule: unknown): asserts rule is Rule {
  if (typeof rule !== 'object' || rule === null) throw new TypeError('rule: it is no object');
  const facts = rule as Readonly<Record<string, unknown>>;
  const name = checkCode(facts.code);
  const refuse = (field: string, expected: string): never => {
    const found = typeof facts[field] === 'string' ? `"${facts[field]}"` : String(facts[field]);
    throw new TypeError(`rule "${name}": ${field} is ${found}, expected ${expected}`);
  };
  for (const field of Object.keys(facts)) {
    if (fields.includes(field)) continue;
    const meant = nearest(field, fields);
    throw new TypeError(
      `rule "${name}": ${field} has no meaning${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
    );
  }
  for (const field of texts) {
    const text = facts[field];
    if (typeof text !== 'string' || text.trim() === '') refuse(field, 'a text');
  }
  for (const [field, allowed] of Object.entries(choices)) {
    if (facts[field] === undefined && optional.includes(field)) continue;
    if (!allowed.includes(String(facts[field]))) refuse(field, `one of ${allowed.join(', ')}`);
  }
  if (facts.confidence === 'likely' && facts.severity === 'error') refuse('severity', 'warning or info: it is likely');
  const { kinds } = facts;
  if (!Array.isArray(kinds) || kinds.length === 0 || kinds.some((kind) => typeof kind !== 'string')) {
    refuse('kinds', 'a list with one kind or more');
  }
  if (typeof facts.check !== 'function') refuse('check', 'a function');
}

function checkCode(code: unknown): string {
  if (typeof code !== 'string' || !/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(code)) {
    throw new TypeError(
      `rule: code is ${JSON.stringify(code)}, expected words in lower case with hyphens between them`,
    );
  }
  if (findRule(code) !== undefined) throw new TypeError(`rule "${code}": a built-in rule has this code`);
  if (Object.hasOwn(registry, code) || code === failedCode)
    throw new TypeError(`rule "${code}": a diagnostic has this code`);
  return code;
}
