import type { JsonPath } from '../diagnostics/span.ts';

/** The first path at which two readings of one text differ; undefined when they are the same JSON. */
export function disagreement(a: unknown, b: unknown, path: JsonPath = []): JsonPath | undefined {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return path;
    return firstOf(a.keys(), (index) => disagreement(a[index], b[index], [...path, index]));
  }
  if (isRecord(a) && isRecord(b)) {
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return path;
    return firstOf(keys, (key) =>
      Object.hasOwn(b, key) ? disagreement(a[key], b[key], [...path, key]) : [...path, key],
    );
  }
  return path;
}

function firstOf<K>(keys: Iterable<K>, look: (key: K) => JsonPath | undefined): JsonPath | undefined {
  for (const key of keys) {
    const found = look(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
