import { lookup } from '../lib/lookup.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { isObject } from './pod.ts';
import { simpleValues } from './simple-value.ts';

/** What a template makes, with a mark in place of each value that it places as JSON. */
export interface OutlinedText {
  readonly text: string;
  /** By the numbers of their marks. */
  readonly values: readonly unknown[];
}

/** What stands in the text for a value: a text in double quotes stands wherever JSON does. */
export function markOf(index: number): string {
  return JSON.stringify(wordOf(index));
}

function wordOf(index: number): string {
  return `@value ${index}@`;
}

/** A value, or what it is made of where values belong into it. */
type Part = { readonly is: JsonValue } | { readonly value: number } | { readonly parts: Parts };
type Parts = readonly Part[] | ReadonlyMap<string, Part>;

/** A template makes one outline for each choice between its parts, so few are met; more come only of a user's own text. */
const mostOutlines = 256;

/**
 * The partial pods of texts, whose YAML is read once for all texts that differ in values alone. An outline is known by its
 * whole text and the number of its values, so that it never has to be forgotten for a change of settings.
 */
export class Outlines {
  readonly #known = new Map<string, Part | undefined>();

  /**
   * The same as `read` makes of the text with its values; undefined where only that text can tell. `read` gives a text
   * where there is no partial pod.
   */
  fill({ text, values }: OutlinedText, read: (text: string) => JsonObject | string): JsonObject | undefined {
    // What a template places as it is may look like a mark: as many values as marks tell that all are marks.
    const key = `${values.length} ${text}`;
    if (!this.#known.has(key)) {
      if (this.#known.size === mostOutlines) this.#known.clear();
      this.#known.set(key, partsOf(text, values.length, read));
    }
    const outline = this.#known.get(key);
    const simple = outline && simpleValues(values);
    return outline && simple && (filled(outline, simple) as JsonObject);
  }
}

/** Where a mark may be replaced by any JSON: a value of its own, behind which nothing else of it follows. */
const places = /(?<=[ [,\n])"@value \d+@"(?=[\n,\]}]|$| +(?:[\n,\]}#]|$))/g;
/** Tags, anchors, aliases, merges, blocks of text, keys of any kind: what they do depends on the value beside them. */
const risky = /[!&*%?|>]|<</;
/** Fewer levels than YAML may have, by more than a value may have. */
const deepest = 50;

/** Undefined: other values could change how the rest is read. */
function partsOf(text: string, count: number, read: (text: string) => JsonObject | string): Part | undefined {
  const marks = text.match(places) ?? [];
  if (marks.length !== count || text.split('@value ').length !== count + 1) return undefined;
  if (risky.test(text.replaceAll(places, ''))) return undefined;
  const partial = read(text);
  if (typeof partial === 'string') return undefined;
  const words = Object.fromEntries(Array.from({ length: count }, (_, i) => [wordOf(i), i]));
  const met = new Set<number>();
  const outline = partOf(partial, words, met, 0);
  return met.size === count ? outline : undefined;
}

/** `met` collects the numbers of values. */
function partOf(
  value: JsonValue,
  words: Readonly<Record<string, number>>,
  met: Set<number>,
  depth: number,
): Part | undefined {
  const index = typeof value === 'string' ? lookup(words, value) : undefined;
  if (index !== undefined) {
    met.add(index);
    return { value: index };
  }
  if (typeof value !== 'object' || value === null) return { is: value };
  if (depth === deepest || Object.hasOwn(value, '__proto__')) return undefined;
  const before = met.size;
  const parts = new Map<string, Part>();
  for (const [key, member] of Object.entries(value) as [string, JsonValue][]) {
    const part = partOf(member, words, met, depth + 1);
    if (part === undefined) return undefined;
    parts.set(key, part);
  }
  if (met.size === before) return { is: value };
  return { parts: isObject(value) ? parts : [...parts.values()] };
}

function filled(part: Part, values: readonly JsonValue[]): JsonValue {
  if ('is' in part) return part.is;
  if ('value' in part) return values[part.value] as JsonValue;
  const { parts } = part;
  if (!(parts instanceof Map)) return (parts as readonly Part[]).map((each) => filled(each, values));
  const object: Record<string, JsonValue> = {};
  for (const [key, each] of parts as ReadonlyMap<string, Part>) object[key] = filled(each, values);
  return object;
}
