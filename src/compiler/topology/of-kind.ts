import type * as kinds from '../../policy/topology-kinds.ts';

/** The objects of one kind, in their order. */
export function ofKind<K extends kinds.TopologyObject['kind']>(
  objects: readonly kinds.TopologyObject[],
  kind: K,
): Extract<kinds.TopologyObject, { kind: K }>[] {
  return objects.filter((object) => object.kind === kind) as Extract<kinds.TopologyObject, { kind: K }>[];
}
