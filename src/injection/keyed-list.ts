import type { JsonValue } from '../source/document.ts';
import { isObject } from './pod.ts';

/** Fields that name an item in lists of the Kubernetes API: the first that all items have counts. */
const namingFields = [['mountPath'], ['devicePath'], ['containerPort', 'protocol'], ['ip'], ['name']] as const;

/**
 * What tells the items of a list apart: their name, their place of mount, their port; plain values are named by
 * themselves. Undefined where an item has no key, or two have the same.
 */
export function keysOf(list: readonly JsonValue[]): readonly string[] | undefined {
  const field = namingFields.find(([first]) => list.every((item) => isObject(item) && item[first] !== undefined));
  const keys = list.flatMap((item) => {
    if (field !== undefined && isObject(item))
      return field.map((name) => String(item[name] ?? defaults[name] ?? '')).join('/');
    return typeof item === 'object' ? [] : JSON.stringify(item);
  });
  return new Set(keys).size === list.length ? keys : undefined;
}

const defaults: Readonly<Record<string, string>> = { protocol: 'TCP' };

/** Whether two values are the same JSON; the order of an object's fields says nothing. */
export function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item: JsonValue, i) => isSameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
  );
}
