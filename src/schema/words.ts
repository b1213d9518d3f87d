import type { JsonPath } from '../diagnostics/span.ts';
import type { JsonValue } from '../source/document.ts';

/** `PeerAuthentication spec.mtls`: a place that a message names. */
export function placeOf(path: JsonPath, kind: string): string {
  const [first, ...rest] = path;
  if (first === undefined) return kind;
  return `${kind} ${first}${rest.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`;
}

/** Innermost name of a path with its indexes: `jwtRules[0]`; the kind for the root. */
export function lastField(path: JsonPath, kind: string): string {
  const name = path.findLastIndex((step) => typeof step === 'string');
  if (name === -1) return kind;
  return `${path[name]}${path
    .slice(name + 1)
    .map((index) => `[${index}]`)
    .join('')}`;
}

/** `"a", "b" or "c"`. */
export function quotedList(names: readonly string[], word: 'or' | 'and' = 'or'): string {
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} ${word} ${last}`;
}

/** The value as a message shows it, cut when it is long. */
export function printed(value: JsonValue | undefined): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** What a value is, in words: `a list`, `the text "8080"`, `empty`. */
export function describe(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `the text "${printed(value)}"` : `the ${typeof value} ${String(value)}`;
}

const nameOfType: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

/** The types that JSON Schema's `type` allows, in words; `null` is not offered. */
export function typeNames(type: unknown): string {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.flatMap((name) => nameOfType[String(name)] ?? []).join(' or ');
}
