import type { Topology } from './model.ts';
import { workloadsByLabels } from './workload-index.ts';

const known = new WeakMap<Topology['services'], ReadonlySet<string>>();

/**
 * Whether the inputs name no service of the namespace that the host belongs to, or not what an object there has made; of hosts
 * outside the cluster they never do.
 */
export function isOfUnseenNamespace(host: string, topology: Topology, clusterDomain: string): boolean {
  const suffix = `.svc.${clusterDomain}`;
  if (!host.endsWith(suffix)) return true;
  const namespace = host.slice(0, -suffix.length).split('.').at(-1);
  if (namespace === undefined || topology.unseenIn.has(namespace)) return true;
  return !namespacesWithServices(topology).has(namespace);
}

/** Whether the inputs show no workload of the namespace, or not what an object there has made. */
export function isOfUnseenWorkloads(namespace: string, topology: Topology): boolean {
  return topology.unseenIn.has(namespace) || workloadsByLabels(topology).select(namespace, undefined).length === 0;
}

function namespacesWithServices(topology: Topology): ReadonlySet<string> {
  const found =
    known.get(topology.services) ??
    new Set(topology.services.flatMap(({ kind, namespace }) => (kind === 'Service' ? [namespace] : [])));
  known.set(topology.services, found);
  return found;
}
