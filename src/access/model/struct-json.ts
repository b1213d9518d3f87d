import { repeatedKey } from '../../diagnostics/repeated-key.ts';

/** Levels of objects and lists within each other, the outermost one included. */
const deepest = 100;

/** Half of a surrogate pair has no UTF-8 form. */
const halfOfPair = /\p{Surrogate}/u;

/**
 * The object that Envoy reads in a text of JSON, of which it makes a `google.protobuf.Struct`. Undefined where it refuses the
 * text (seen on Envoy 1.40): what is no object, a key that an object has twice, a number that no double holds, half of a
 * surrogate pair, more than 100 levels.
 */
export function parseStruct(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(value) && isStructValue(value, deepest) && repeatedKey(text) === undefined ? value : undefined;
}

function isStructValue(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return !halfOfPair.test(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  return Object.entries(value).every(([key, inner]) => !halfOfPair.test(key) && isStructValue(inner, levels - 1));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
