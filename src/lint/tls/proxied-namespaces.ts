import type { Topology } from '../../compiler/topology/model.ts';

const proxied = new WeakMap<Topology, ReadonlySet<string>>();

/** The namespaces of which the input says that a workload has a sidecar: there a workload without one is an exception. */
export function proxiedNamespaces({ topology }: { readonly topology: Topology }): ReadonlySet<string> {
  const known =
    proxied.get(topology) ??
    new Set(topology.workloads.filter(({ role }) => role === 'sidecar').map(({ namespace }) => namespace));
  proxied.set(topology, known);
  return known;
}
