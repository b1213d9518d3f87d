import type { JsonPath } from '../diagnostics/span.ts';
import type { MeshObject } from '../policy/object.ts';
import type { JsonValue } from '../source/document.ts';

/** Where an object has what its pods are made of. */
export function podSpecPath({ kind }: MeshObject<string>): JsonPath {
  return kind === 'Pod' ? ['spec'] : ['spec', 'template', 'spec'];
}

/** A value of the object as written, also of a field that no schema of ours knows; undefined where there is none. */
export function at({ document }: MeshObject<string>, path: JsonPath): JsonValue | undefined {
  let value: JsonValue | undefined = document.value;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string | number, JsonValue>>)[step];
  }
  return value;
}
