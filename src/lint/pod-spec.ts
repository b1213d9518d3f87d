import type { JsonPath } from '../diagnostics/span.ts';
import { valueAt } from '../lib/value-at.ts';
import type { MeshObject } from '../policy/object.ts';
import { templatePath } from '../policy/unread-object.ts';
import type { JsonValue } from '../source/document.ts';

/** Where an object has what its pods are made of. */
export function podSpecPath({ kind }: MeshObject<string>): JsonPath {
  return kind === 'Pod' ? ['spec'] : [...templatePath(kind), 'spec'];
}

/** A value of the object as written, also of a field that no schema of ours knows; undefined where there is none. */
export function at({ document }: MeshObject<string>, path: JsonPath): JsonValue | undefined {
  return valueAt(document.value, path) as JsonValue | undefined;
}
