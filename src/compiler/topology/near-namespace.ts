import { NearNames } from '../../lib/near-names.ts';
import type { Topology } from './model.ts';

const known = new WeakMap<Topology['namespaces'], NearNames>();

/** The namespace that an unknown one was meant to be. */
export function nearNamespace(namespace: string, topology: Topology): string | undefined {
  const names = known.get(topology.namespaces) ?? new NearNames(topology.namespaces.keys());
  known.set(topology.namespaces, names);
  return names.nearest(namespace);
}
