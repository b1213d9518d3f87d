import { append } from '../../lib/append.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { ControllerKind, TopologyObject, WorkloadController } from '../../policy/topology-kinds.ts';

type Kind = TopologyObject['kind'];

/** The objects that say who is in the mesh, by kind, each list by namespace and name. */
export type TopologyLists = {
  readonly [K in Kind]: readonly (K extends ControllerKind
    ? WorkloadController
    : Extract<TopologyObject, { kind: K }>)[];
};

const kinds: Readonly<Record<Kind, true>> = {
  Namespace: true,
  Node: true,
  ServiceAccount: true,
  Service: true,
  Pod: true,
  Deployment: true,
  StatefulSet: true,
  DaemonSet: true,
  Job: true,
  Endpoints: true,
  EndpointSlice: true,
  WorkloadEntry: true,
  WorkloadGroup: true,
  ServiceEntry: true,
  Secret: true,
};

export const topologyKinds = Object.keys(kinds) as readonly Kind[];

/** `listOf` gives the list of each kind. */
export function topologyLists(listOf: (kind: Kind) => readonly MeshObject<string>[]): TopologyLists {
  // Each list holds the kind that it is asked for.
  return Object.fromEntries(topologyKinds.map((kind) => [kind, listOf(kind)])) as unknown as TopologyLists;
}

/** Lists of objects in any order. */
export function listsOf(objects: readonly TopologyObject[]): TopologyLists {
  const byKind = new Map<string, TopologyObject[]>();
  for (const object of objects) append(byKind, object.kind, object);
  const sorted = (list: readonly TopologyObject[]): readonly TopologyObject[] =>
    sortedBy(
      list,
      ({ namespace }) => namespace,
      ({ name }) => name,
    );
  return topologyLists((kind) => sorted(byKind.get(kind) ?? []));
}
