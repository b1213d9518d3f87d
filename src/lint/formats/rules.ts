import type { Rule } from '../rule.ts';

/** One line a rule: code, number, severity, what it finds. */
export function formatRuleList(rules: readonly Rule[]): string {
  const width = Math.max(0, ...rules.map(({ code }) => code.length));
  return rules
    .map(({ code, id, severity, title }) => `${code.padEnd(width)}  ${id}  ${severity.padEnd(7)}  ${title}\n`)
    .join('');
}

/** All that there is to know of one rule. */
export function formatRule(rule: Rule): string {
  const { code, id, peers = [], title, why, hint } = rule;
  const facts = factsOf(rule).map(([name, value]) => `  ${name.padEnd(13)}${value}\n`);
  const names = [id, ...peers].join(', ');
  return `${code} (${names})\n\n${sentence(title)}\n\nWhy: ${sentence(why)}\nWhat to do: ${sentence(hint)}\n\n${facts.join('')}`;
}

/** What the metadata of a rule says, for people. */
export function factsOf(rule: Rule): readonly (readonly [name: string, value: string])[] {
  return [
    ['severity', rule.severity],
    ['category', rule.category],
    ['direction', rule.direction],
    ['confidence', rule.confidence],
    ['looks at', looksAt(rule)],
    ['needs', rule.needs === 'topology' ? 'topology' : 'policies only'],
    ...(rule.fixChanges ? [['fix changes', rule.fixChanges] as const] : []),
    ['since', rule.since],
  ];
}

/** A rule without kinds is about settings, or, as a matter of hygiene, about suppressions. */
function looksAt({ kinds, category }: Rule): string {
  if (kinds.length > 0) return kinds.join(', ');
  return category === 'hygiene' ? 'suppressions' : 'settings';
}

/** With a capital and a full stop. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
