import type { JsonValue } from '../source/document.ts';

/** Of all values together: far below the limits of a document, which count its characters, values and levels. */
const mostCharacters = 200_000;
const mostNodes = 5_000;
const deepest = 10;

interface Budget {
  characters: number;
  nodes: number;
}

/** What a text of JSON and YAML alike holds without an escape beside those of JSON. */
const printable = /^[ -~]*$/;

/**
 * Copies of values as they are read again from their JSON, in YAML too; undefined where one of them is of a kind that its
 * readers look at more closely: other characters than those of ASCII, numbers that are no integers, long texts, deep objects.
 */
export function simpleValues(values: readonly unknown[]): readonly JsonValue[] | undefined {
  const budget = { characters: mostCharacters, nodes: mostNodes };
  return simpleList(values, budget, 0);
}

function simpleList(list: readonly unknown[], budget: Budget, depth: number): readonly JsonValue[] | undefined {
  const copies: JsonValue[] = [];
  for (const item of list) {
    const copy = simpleValue(item, budget, depth);
    if (copy === undefined) return undefined;
    copies.push(copy);
  }
  return copies;
}

function simpleValue(value: unknown, budget: Budget, depth: number): JsonValue | undefined {
  budget.nodes -= 1;
  if (budget.nodes < 0 || depth > deepest) return undefined;
  if (typeof value === 'string') return isSimpleText(value, budget) ? value : undefined;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return simpleList(value, budget, depth + 1);
  return Object.getPrototypeOf(value) === Object.prototype ? simpleObject(value, budget, depth) : undefined;
}

function simpleObject(object: object, budget: Budget, depth: number): JsonValue | undefined {
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(object)) {
    // JSON leaves it out.
    if (member === undefined) continue;
    const value = key === '<<' || key === '__proto__' ? undefined : simpleValue(member, budget, depth + 1);
    if (value === undefined || !isSimpleText(key, budget)) return undefined;
    copy[key] = value;
  }
  return copy;
}

function isSimpleText(text: string, budget: Budget): boolean {
  budget.characters -= text.length;
  return budget.characters >= 0 && printable.test(text);
}
