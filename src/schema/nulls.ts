import type { JsonObject, JsonValue } from '../source/document.ts';

/**
 * The value without fields that are null: servers print `endpoints: null` for what is absent. Policies have none, their
 * schemas refuse them. The same value when there is nothing to drop.
 */
export function withoutNulls(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return changedItems(value) ?? value;
  let changed: [string, JsonValue][] | undefined;
  const object = value as JsonObject;
  const keys = Object.keys(object);
  for (const [i, key] of keys.entries()) {
    const before = object[key] as JsonValue;
    const after = withoutNulls(before);
    if (before === after && before !== null) {
      changed?.push([key, before]);
      continue;
    }
    changed ??= keys.slice(0, i).map((name) => [name, object[name] as JsonValue]);
    if (before !== null) changed.push([key, after]);
  }
  return changed === undefined ? value : Object.fromEntries(changed);
}

function changedItems(items: readonly JsonValue[]): JsonValue[] | undefined {
  let changed: JsonValue[] | undefined;
  for (const [i, item] of items.entries()) {
    const after = withoutNulls(item);
    if (after === item) continue;
    changed ??= [...items];
    changed[i] = after;
  }
  return changed;
}
