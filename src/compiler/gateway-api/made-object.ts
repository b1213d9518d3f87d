import { isSameList } from '../../diagnostics/kept.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { MeshObject, WrittenField } from '../../policy/object.ts';
import { madeDocument } from '../../policy/written-field.ts';
import type { JsonObject } from '../../source/document.ts';

/** An object that was made of others, and all that its parts are written in. */
export interface Made<T> {
  readonly object: T;
  readonly sources: readonly MeshObject<string>[];
}

/**
 * Metadata of an object of `networking.mesh.io` that says what objects of the Gateway API mean. It has the age of `base`;
 * its name has a slash, so that no object of the input is called the same.
 */
export function madeObject<K extends string>(
  kind: K,
  {
    base,
    parts,
    spec,
  }: { readonly base: MeshObject<string>; readonly parts: readonly string[]; readonly spec: object },
  writtenAs: (field: JsonPath) => WrittenField,
): MeshObject<K> {
  const { namespace, createdAt } = base;
  const name = [base.name, ...parts].join('/');
  const metadata = { namespace, name };
  // A specification is made of what JSON has.
  const value = { apiVersion: 'networking.mesh.io/v1', kind, metadata, spec: spec as JsonObject };
  const document = madeDocument(base, value, writtenAs);
  return { kind, namespace, name, createdAt, labels: {}, annotations: {}, document, writtenAs };
}

/** For each object the one of before, where it says the same and was made of the same objects. */
export function keptObjects<T extends MeshObject<string>>(
  before: readonly Made<T>[],
  fresh: readonly Made<T>[],
): readonly Made<T>[] {
  const known = new Map(before.map((made) => [nameOf(made), made]));
  return fresh.map((made) => {
    const old = known.get(nameOf(made));
    return old !== undefined && isSame(old, made) ? old : made;
  });
}

function nameOf({ object: { namespace, name } }: Made<MeshObject<string>>): string {
  return `${namespace}/${name}`;
}

function isSame(a: Made<object>, b: Made<object>): boolean {
  return isSameList(a.sources, b.sources) && textOf(a) === textOf(b);
}

function textOf({ object }: Made<object>): string {
  return JSON.stringify({ ...object, document: undefined });
}
