import { parseDuration } from '../lib/duration.ts';

/** Which process reads a variable. */
export type VariableOwner = 'compiler' | 'agent' | 'control-plane' | 'redirection';

export type VariableType = 'string' | 'boolean' | 'integer' | 'float' | 'duration';

/** One variable of the specification. */
export interface Variable {
  readonly name: string;
  readonly type: VariableType;
  /** As the specification prints it; empty text for "empty". */
  readonly default: string;
  readonly owner: VariableOwner;
  /** What it does, for the documents and the help: a phrase that adds to the name. */
  readonly effect: string;
  /** The setting that it becomes, as a path in `Settings`. */
  readonly setting?: string;
  /** What a text may be; empty text counts as absent. */
  readonly values?: readonly string[];
  /** A value that cannot be read is an error, never a warning with the default. */
  readonly security?: boolean;
}

/** A variable's value, or why it is none. */
export type ParsedVariable<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string };

/** Go's booleans; a variable that is set but empty is invalid, not false. */
export function parseBoolean(text: string): ParsedVariable<boolean> {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return { ok: true, value: true };
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return { ok: true, value: false };
  return { ok: false, expected: '"true" or "false"' };
}

/** A whole number in decimal, with an optional sign. */
export function parseInteger(text: string): ParsedVariable<number> {
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(value)) return { ok: true, value };
  return { ok: false, expected: 'a whole number' };
}

/** A whole number from 0: below it no variable has a meaning. */
export function parseWholeNumber(text: string): ParsedVariable<number> {
  const parsed = parseInteger(text);
  return parsed.ok && parsed.value >= 0 ? parsed : { ok: false, expected: 'a whole number from 0' };
}

/** A finite number in decimal, with an optional exponent. */
export function parseFloat64(text: string): ParsedVariable<number> {
  const value = Number(text);
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) && Number.isFinite(value)) return { ok: true, value };
  return { ok: false, expected: 'a number' };
}

/** One of the names that a variable may say, or empty text. */
export function parseChoice(text: string, values: readonly string[]): ParsedVariable<string> {
  if (text === '' || values.includes(text)) return { ok: true, value: text };
  return { ok: false, expected: values.map((value) => `"${value}"`).join(' or ') };
}

/** Milliseconds; negative durations have no meaning for any variable. */
export function parseDurationVariable(text: string): ParsedVariable<number> {
  const value = parseDuration(text);
  if (value !== undefined && value >= 0) return { ok: true, value };
  return { ok: false, expected: 'a duration such as "5s" or "1m30s"' };
}

/** A parser of one of the named values; what it says when another one is written lists them. */
export function oneOf<T extends string>(values: Readonly<Record<string, T>>): (value: string) => ParsedVariable<T> {
  const names = Object.keys(values).filter((name) => name !== '');
  return (value) =>
    Object.hasOwn(values, value)
      ? { ok: true, value: values[value] as T }
      : { ok: false, expected: names.map((name) => `"${name}"`).join(', ') };
}
