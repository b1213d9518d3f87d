import type { JsonPath } from '../../diagnostics/span.ts';
import { compareStrings } from '../../lib/sort.ts';
import type { MeshObject } from '../../policy/object.ts';
import { writtenField } from '../../policy/written-field.ts';
import type { Origins, PolicyOrigin } from '../ir/origin.ts';

/** Order of precedence among policies of one scope: oldest first, then the lower `name.namespace`. */
export function byAge<T extends MeshObject<string>>(policies: Iterable<T>): T[] {
  const keyed = Array.from(policies, (policy) => ({ policy, name: `${policy.name}.${policy.namespace}` }));
  keyed.sort((a, b) => a.policy.createdAt - b.policy.createdAt || compareStrings(a.name, b.name));
  return keyed.map(({ policy }) => policy);
}

/** A field of an object of the input; for one that was made of others, the field of theirs that says it. */
export function originOf(made: MeshObject<string>, path: JsonPath): PolicyOrigin {
  const { object, field } = writtenField(made, path);
  return { kind: object.kind, namespace: object.namespace, name: object.name, field, at: object.document };
}

/** Nobody said anything: a built-in default. */
export const noOrigins: Origins = { decidedBy: [], overrode: [] };
