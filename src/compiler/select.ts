import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { nearest } from '../lib/nearest.ts';
import type { WorkloadKey } from './merge/effective.ts';
import { canonicalAddress, familiesOf } from './topology/address.ts';
import type { Topology, Workload } from './topology/model.ts';

/** A workload to compile for. */
export interface SelectedWorkload extends WorkloadKey {
  /** An address that its proxy knows to have; counts where the topology knows none (a Deployment without pods). */
  readonly ip?: string | undefined;
}

/**
 * The workloads to compile for: all that have a proxy, or those named, in the topology's order. A name that is not there
 * or has no proxy is an error.
 */
export function selectWorkloads(
  topology: Topology,
  select: 'all' | readonly SelectedWorkload[],
  bag: DiagnosticBag,
): readonly Workload[] {
  if (select === 'all') return topology.workloads.filter((workload) => workload.role !== 'none');
  const byName = new Map(topology.workloads.map((workload) => [`${workload.namespace}/${workload.name}`, workload]));
  const chosen = new Map<Workload, Workload>();
  for (const { namespace, name, ip } of select) {
    const key = `${namespace}/${name}`;
    const workload = byName.get(key);
    if (workload === undefined) {
      const guess = nearest(key, byName.keys());
      bag.report('unknown-workload', undefined, { name: key }, { hint: guess && `did you mean "${guess}"?` });
    } else if (workload.role === 'none') {
      bag.report('workload-without-proxy', workload.object.document.spanOf(['metadata', 'name']), { name: key });
    } else chosen.set(workload, ip === undefined ? workload : located(workload, ip));
  }
  return topology.workloads.flatMap((workload) => chosen.get(workload) ?? []);
}

/** By identity, as every stage remembers: the same workload at the same address is the same object again. */
const locatedBefore = new WeakMap<Workload, Workload>();

/**
 * A workload of which only its proxy knows the address. It listens on that family and on those of the services that
 * select it: a service has endpoints of its own families only, so a pod behind it has such an address too.
 */
function located(workload: Workload, ip: string): Workload {
  const address = canonicalAddress(ip);
  if (workload.addresses.length > 0 || address === undefined) return workload;
  const known = locatedBefore.get(workload);
  if (known?.addresses[0] === address) return known;
  const others = workload.targets.flatMap(({ service }) => service.addresses);
  const made: Workload = { ...workload, addresses: [address], families: familiesOf([address, ...others]) };
  locatedBefore.set(workload, made);
  return made;
}
