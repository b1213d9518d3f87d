import type { Snapshot } from '../compiler/snapshot.ts';

/**
 * Whether the input says who is in the mesh. Namespaces and Secrets alone do not: policies are often kept beside the
 * namespaces that they are for. Nor do ServiceEntries of services outside of the mesh, which are policy as much.
 */
export function hasTopology({ topology }: Pick<Snapshot, 'topology'>): boolean {
  return topology.workloads.length > 0 || topology.services.some(({ isExternal }) => !isExternal);
}
