import type { JsonObject, JsonValue } from '../source/document.ts';
import { isSameJson, keysOf } from './keyed-list.ts';
import { isObject } from './pod.ts';

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The JSON Patch that turns one value into another; empty where they are equal. Items of lists are told apart by what
 * names them (`keysOf`), so that an added container is one operation and the others are not touched.
 */
export function patch(before: JsonObject, after: JsonObject): PatchOperation[] {
  return objectPatch(before, after, '');
}

function objectPatch(before: JsonObject, after: JsonObject, at: string): PatchOperation[] {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...removed.map((key): PatchOperation => ({ op: 'remove', path: below(at, key) })),
    ...Object.entries(after).flatMap(([key, value]): PatchOperation[] => {
      const path = below(at, key);
      const old = Object.hasOwn(before, key) ? before[key] : undefined;
      return old === undefined ? [{ op: 'add', path, value }] : valuePatch(old, value, path);
    }),
  ];
}

function valuePatch(before: JsonValue, after: JsonValue, path: string): PatchOperation[] {
  if (isObject(before) && isObject(after)) return objectPatch(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) {
    const keys = [keysOf(before), keysOf(after)] as const;
    if (keys[0] !== undefined && keys[1] !== undefined) return listPatch(before, after, keys[0], keys[1], path);
  }
  return isSameJson(before, after) ? [] : [{ op: 'replace', path, value: after }];
}

/** Removes from the end what is gone, then brings the list to its new order from the start. */
function listPatch(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  keysBefore: readonly string[],
  keysAfter: readonly string[],
  at: string,
): PatchOperation[] {
  const operations: PatchOperation[] = [];
  const kept = new Set(keysAfter);
  const old = new Map(keysBefore.map((key, i) => [key, before[i] as JsonValue]));
  const now = [...keysBefore];
  const remove = (index: number): void => {
    now.splice(index, 1);
    operations.push({ op: 'remove', path: below(at, String(index)) });
  };
  for (let i = now.length - 1; i >= 0; i -= 1) if (!kept.has(now[i] ?? '')) remove(i);
  for (const [i, value] of after.entries()) {
    const key = keysAfter[i] ?? '';
    const path = below(at, String(i));
    if (now[i] !== key) {
      const from = now.indexOf(key, i);
      if (from !== -1) remove(from);
      now.splice(i, 0, key);
      operations.push({ op: 'add', path, value });
    } else operations.push(...valuePatch(old.get(key) ?? null, value, path));
  }
  return operations;
}

/** RFC 6901. */
function below(at: string, key: string): string {
  return `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
