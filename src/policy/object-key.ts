import type { MeshObject } from './object.ts';

/** The key of an object: there is one of a kind, namespace and name. */
export function keyOf({ kind, namespace, name }: Pick<MeshObject<string>, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}
