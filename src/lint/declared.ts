import type { Snapshot } from '../compiler/snapshot.ts';
import type { Topology } from '../compiler/topology/model.ts';

/**
 * Whether the input says who is in the mesh. Namespaces and Secrets alone do not: policies are often kept beside the
 * namespaces that they are for.
 */
export function hasTopology({ topology }: Pick<Snapshot, 'topology'>): boolean {
  return topology.workloads.length > 0 || topology.services.length > 0;
}

const inhabited = new WeakMap<Topology, ReadonlySet<string>>();

/** The namespaces of which the input says what runs there. */
export function inhabitedNamespaces({ topology }: Pick<Snapshot, 'topology'>): ReadonlySet<string> {
  const known =
    inhabited.get(topology) ?? new Set([...topology.workloads, ...topology.services].map(({ namespace }) => namespace));
  inhabited.set(topology, known);
  return known;
}
