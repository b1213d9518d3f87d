import type { JsonPath, OffsetRange } from './span.ts';

/** Offsets of the elements of arrays, by the offset of the array: for a text of which many places are asked for. */
export type ArrayOffsets = Map<number, readonly number[]>;

/**
 * Where a value of a JSON text stands; `text` must be valid JSON. Goes as far down `path` as it exists. What it finds of
 * arrays it adds to `known`, so that each is read once.
 */
export function jsonRangeOf(
  text: string,
  path: JsonPath,
  part: 'key' | 'value',
  known: ArrayOffsets = new Map(),
): OffsetRange {
  let start = skipSpace(text, 0);
  let key: OffsetRange | undefined;
  for (const step of path) {
    const found = text[start] === '[' ? elementOf(text, start, step, known) : memberOf(text, start, step);
    if (found === undefined) break;
    start = found.value;
    key = found.key;
  }
  return part === 'key' && key !== undefined ? key : { start, end: skipValue(text, start) };
}

/** What arrays and objects of a text contain, by their offset: for a text of which many places are asked for. */
export type JsonContents = Map<number, readonly Content[]>;

interface Content {
  readonly step: string | number;
  /** Offset of the key, or of the value where there is none. */
  readonly from: number;
  readonly value: number;
  readonly end: number;
}

/**
 * Path of the innermost value of a JSON text whose key or value stands at `offset`; `text` must be valid JSON. What it finds
 * it adds to `known`, so that each array and object is read once.
 */
export function jsonPathAt(text: string, offset: number, known: JsonContents = new Map()): JsonPath {
  const path: (string | number)[] = [];
  let start: number | undefined = skipSpace(text, 0);
  while (start !== undefined) {
    const contents: readonly Content[] = known.get(start) ?? contentsOf(text, start);
    known.set(start, contents);
    const found = contents.find(({ from, end }) => from <= offset && offset < end);
    if (found !== undefined) path.push(found.step);
    start = found?.value;
  }
  return path;
}

function contentsOf(text: string, start: number): readonly Content[] {
  if (text[start] === '[') {
    return [...elements(text, start)].map((value, step) => ({ step, from: value, value, end: skipValue(text, value) }));
  }
  if (text[start] !== '{') return [];
  return [...members(text, start)].map(({ key, value }) => {
    const step = JSON.parse(text.slice(key.start, key.end)) as string;
    return { step, from: key.start, value, end: skipValue(text, value) };
  });
}

/** Ranges of the elements of the array at member `name` of the root object, in one pass. */
export function jsonElements(text: string, name: string): OffsetRange[] {
  const found = memberOf(text, skipSpace(text, 0), name);
  const ranges: OffsetRange[] = [];
  if (found === undefined || text[found.value] !== '[') return ranges;
  for (const start of elements(text, found.value)) ranges.push({ start, end: skipValue(text, start) });
  return ranges;
}

interface Member {
  readonly key: OffsetRange | undefined;
  /** Offset of the value. */
  readonly value: number;
}

function elementOf(text: string, start: number, step: string | number, known: ArrayOffsets): Member | undefined {
  const offsets = known.get(start) ?? [...elements(text, start)];
  known.set(start, offsets);
  const value = typeof step === 'number' ? offsets[step] : undefined;
  return value === undefined ? undefined : { key: undefined, value };
}

function memberOf(text: string, start: number, step: string | number): Member | undefined {
  if (text[start] !== '{') return undefined;
  for (const member of members(text, start)) {
    if (JSON.parse(text.slice(member.key.start, member.key.end)) === String(step)) return member;
  }
  return undefined;
}

function* elements(text: string, start: number): Generator<number> {
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== ']') {
    yield at;
    at = skipComma(text, skipValue(text, at));
  }
}

function* members(text: string, start: number): Generator<{ key: OffsetRange; value: number }> {
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== '}') {
    const key = { start: at, end: skipString(text, at) };
    const value = skipSpace(text, skipSpace(text, key.end) + 1);
    yield { key, value };
    at = skipComma(text, skipValue(text, value));
  }
}

function skipComma(text: string, from: number): number {
  const at = skipSpace(text, from);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

function skipString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipValue(text: string, from: number): number {
  if (text[from] === '"') return skipString(text, from);
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') at = skipString(text, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (character === ',' || text.charCodeAt(at) <= 0x20)) return at;
    at++;
  }
  return at;
}
