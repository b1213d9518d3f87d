import type { Topology } from './model.ts';

const known = new WeakMap<Topology['services'], ReadonlySet<string>>();

/** Whether the inputs name no service of the namespace that the host belongs to; of hosts outside the cluster they never do. */
export function isOfUnseenNamespace(host: string, topology: Topology, clusterDomain: string): boolean {
  const suffix = `.svc.${clusterDomain}`;
  if (!host.endsWith(suffix)) return true;
  const namespace = host.slice(0, -suffix.length).split('.').at(-1);
  return namespace === undefined || !namespacesWithServices(topology).has(namespace);
}

function namespacesWithServices(topology: Topology): ReadonlySet<string> {
  const found =
    known.get(topology.services) ??
    new Set(topology.services.flatMap(({ kind, namespace }) => (kind === 'Service' ? [namespace] : [])));
  known.set(topology.services, found);
  return found;
}
