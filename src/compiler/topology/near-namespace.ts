import { KnownNames } from '../../lib/known-names.ts';
import { NearNames } from '../../lib/near-names.ts';
import type { Topology } from './model.ts';

const known = new WeakMap<Topology['namespaces'], NearNames>();

const ofMisspellings = new WeakMap<Topology['namespaces'], KnownNames>();

/** The namespace that an unknown one is likelier to be than one that the input leaves out: `shpo` is, and `team-b` is not. */
export function misspeltNamespace(namespace: string, { namespaces }: Topology): string | undefined {
  const names = ofMisspellings.get(namespaces) ?? new KnownNames(namespaces.keys());
  ofMisspellings.set(namespaces, names);
  return names.meantBy(namespace);
}

/** The namespace that an unknown one may have been meant to be. */
export function nearNamespace(namespace: string, topology: Topology): string | undefined {
  const names = known.get(topology.namespaces) ?? new NearNames(topology.namespaces.keys());
  known.set(topology.namespaces, names);
  return names.nearest(namespace);
}
