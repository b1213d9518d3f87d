import type { JsonObject, JsonValue } from '../source/document.ts';
import { isSameJson, keysOf } from './keyed-list.ts';
import { isObject } from './pod.ts';

/** How an object becomes again what it was before it was changed, whatever others have changed in it meanwhile. */
export interface Undo {
  /** Fields that were another value. */
  readonly set?: JsonObject;
  /** Fields that were not there. */
  readonly remove?: readonly string[];
  /** Objects that were changed in turn. */
  readonly objects?: Readonly<Record<string, Undo>>;
  /** Lists of named items. */
  readonly lists?: Readonly<Record<string, ListUndo>>;
  /** The object was not there: it goes when nothing is left in it. */
  readonly isMade?: true;
}

/** By what names its items (`keysOf`). */
export interface ListUndo {
  readonly remove?: readonly string[];
  readonly items?: Readonly<Record<string, Undo>>;
  /** Items that are gone or are no objects. */
  readonly add?: Readonly<Record<string, JsonValue>>;
  /** Where items stood that stand elsewhere now. */
  readonly order?: readonly string[];
  readonly isMade?: true;
}

/** Fields that are taken back as a whole: a server fills in their parts. */
const whole: ReadonlySet<string> = new Set(['livenessProbe', 'readinessProbe', 'startupProbe']);

/**
 * What makes `before` of `after`; undefined where they are equal. Into an object or a list that was not there others may
 * write too, unless it is a part of an item of a list (`isOfItem`).
 */
export function undoOf(after: JsonObject, before: JsonObject, isOfItem = false): Undo | undefined {
  const set: Record<string, JsonValue> = {};
  const remove: string[] = [];
  const objects: Record<string, Undo> = {};
  const lists: Record<string, ListUndo> = {};
  for (const key of new Set([...Object.keys(after), ...Object.keys(before)])) {
    const [now, old] = [own(after, key), own(before, key)];
    if (isSameJson(now, old)) continue;
    const list = listUndoOf(now, old);
    if (old === undefined && isOfItem) remove.push(key);
    else if (isObject(now) && !whole.has(key) && (old === undefined || isObject(old))) {
      const undo = undoOf(now, old ?? {}, isOfItem);
      objects[key] = { ...undo, ...(old === undefined && { isMade: true }) };
    } else if (list !== undefined) lists[key] = list;
    else if (old === undefined) remove.push(key);
    else set[key] = old;
  }
  return compact({ set, remove, objects, lists });
}

/** Takes a change back. Where the object has changed since, what is not there any more is no mistake. */
export function undo(object: JsonObject, { set, remove, objects, lists }: Undo): JsonObject {
  const result: Record<string, JsonValue> = { ...object };
  for (const key of remove ?? []) delete result[key];
  for (const [key, change] of Object.entries(objects ?? {})) {
    const now = own(object, key);
    if (!isObject(now)) continue;
    const undone = undo(now, change);
    if (change.isMade && Object.keys(undone).length === 0) delete result[key];
    else result[key] = undone;
  }
  for (const [key, change] of Object.entries(lists ?? {})) {
    const undone = undoList(own(object, key), change);
    if (change.isMade && undone.length === 0) delete result[key];
    else result[key] = undone;
  }
  return { ...result, ...set };
}

function listUndoOf(now: JsonValue | undefined, old: JsonValue | undefined): ListUndo | undefined {
  if (!Array.isArray(now) || !(old === undefined || Array.isArray(old))) return undefined;
  const before: readonly JsonValue[] = old ?? [];
  const [keys, oldKeys] = [keysOf(now), keysOf(before)];
  if (keys === undefined || oldKeys === undefined) return undefined;
  const items: Record<string, Undo> = {};
  const add: Record<string, JsonValue> = {};
  for (const [i, key] of oldKeys.entries()) {
    const [is, was] = [now[keys.indexOf(key)], before[i] as JsonValue];
    const change = isObject(is) && isObject(was) ? undoOf(is, was, true) : undefined;
    if (change !== undefined) items[key] = change;
    else if (!isSameJson(is, was)) add[key] = was;
  }
  const remove = keys.filter((key) => !oldKeys.includes(key));
  const kept = keys.filter((key) => oldKeys.includes(key));
  const isInPlace = [...kept, ...Object.keys(add).filter((key) => !kept.includes(key))].every(
    (key, i) => key === oldKeys[i],
  );
  const made = old === undefined ? { isMade: true as const } : {};
  return { ...compact({ remove, items, add, order: isInPlace ? [] : oldKeys }), ...made };
}

function undoList(now: JsonValue | undefined, { remove, items, add, order }: ListUndo): readonly JsonValue[] {
  const list: readonly JsonValue[] = Array.isArray(now) ? now : [];
  const keys = keysOf(list) ?? [];
  const kept = new Map<string, JsonValue>();
  for (const [i, key] of keys.entries()) {
    const item = list[i] as JsonValue;
    const change = items?.[key];
    if (!remove?.includes(key)) kept.set(key, change !== undefined && isObject(item) ? undo(item, change) : item);
  }
  for (const [key, item] of Object.entries(add ?? {})) kept.set(key, item);
  const rank = (key: string): number => (order?.includes(key) ? order.indexOf(key) : Number.MAX_SAFE_INTEGER);
  const entries = [...kept];
  if (order !== undefined) entries.sort(([a], [b]) => rank(a) - rank(b));
  return entries.map(([, item]) => item);
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Without the parts that say nothing; undefined where all say nothing. */
function compact<T extends object>(parts: T): Partial<T> | undefined {
  const said = Object.entries(parts).filter(([, part]) => Object.keys(part as object).length > 0);
  return said.length === 0 ? undefined : (Object.fromEntries(said) as Partial<T>);
}
