import type { StringMatchIR } from '../../ir/string-match.ts';

/**
 * Whether a match gives access or takes it away. What takes it away must hold against every spelling of the same thing;
 * what gives it may miss one.
 */
export type Sense = 'gives' | 'takes';

/** A value of a rule: `*`, `abc*`, `*abc` or `abc`. A star anywhere else is a star. */
export type Pattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'exact' | 'prefix' | 'suffix'; readonly text: string };

export function patternOf(value: string): Pattern {
  if (value === '*') return { kind: 'any' };
  if (value.startsWith('*')) return { kind: 'suffix', text: value.slice(1) };
  if (value.endsWith('*')) return { kind: 'prefix', text: value.slice(0, -1) };
  return { kind: 'exact', text: value };
}

/** `*` is any text but the empty one. */
export function textMatch(pattern: Pattern, ignoreCase = false): StringMatchIR {
  if (pattern.kind === 'any') return { kind: 'regex', value: '.+' };
  return { kind: pattern.kind, value: pattern.text, ...(ignoreCase ? { ignoreCase } : {}) };
}

/** RE2 that matches the text and nothing else. */
export function quoteRegex(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
