import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import { groupAlias } from '../policy/alias.ts';
import type { PolicyDocument } from '../source/document.ts';
import { ownGroups } from './kinds.ts';

/**
 * Warns of an object of the mesh that stands below a key of a document which is no object, such as the values of a chart:
 * its author may believe that it is in force. Of several the first is named. Examples in a JSON Schema are none.
 */
export function reportNestedObject(document: PolicyDocument, bag: DiagnosticBag): void {
  if (String(document.value.$schema).includes('json-schema.org')) return;
  const found = findObject(document.value);
  if (found === undefined) return;
  const { path, kind } = found;
  bag.report('object-below-key', document.spanOf(path), {
    kind,
    key: path.filter((it) => typeof it === 'string').join('.'),
  });
}

interface Nested {
  readonly path: JsonPath;
  readonly kind: string;
}

/** Anchors may lead to one value from many places: each is looked at once. */
function findObject(root: object): Nested | undefined {
  const seen = new Set<object>([root]);
  const waiting: { readonly value: object; readonly path: JsonPath }[] = [{ value: root, path: [] }];
  for (const { value, path } of waiting) {
    const { apiVersion, kind } = value as { readonly apiVersion?: unknown; readonly kind?: unknown };
    if (typeof kind === 'string' && isOwn(apiVersion)) return { path, kind };
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const key of keys) {
      const next: unknown = (value as Record<string | number, unknown>)[key];
      if (typeof next !== 'object' || next === null || seen.has(next)) continue;
      seen.add(next);
      waiting.push({ value: next, path: [...path, key] });
    }
  }
  return undefined;
}

function isOwn(apiVersion: unknown): boolean {
  return typeof apiVersion === 'string' && ownGroups.includes(groupAlias(apiVersion.split('/', 1)[0] ?? ''));
}
