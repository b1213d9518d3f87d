import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { nearest } from '../lib/nearest.ts';
import type { WorkloadKey } from './merge/effective.ts';
import type { Topology, Workload } from './topology/model.ts';

/**
 * The workloads to compile for: all that have a proxy, or those named, in the topology's order. A name that is not there
 * or has no proxy is an error.
 */
export function selectWorkloads(
  topology: Topology,
  select: 'all' | readonly WorkloadKey[],
  bag: DiagnosticBag,
): readonly Workload[] {
  if (select === 'all') return topology.workloads.filter((workload) => workload.role !== 'none');
  const byName = new Map(topology.workloads.map((workload) => [`${workload.namespace}/${workload.name}`, workload]));
  const chosen = new Set<Workload>();
  for (const { namespace, name } of select) {
    const key = `${namespace}/${name}`;
    const workload = byName.get(key);
    if (workload === undefined) {
      const guess = nearest(key, byName.keys());
      bag.report('unknown-workload', undefined, { name: key }, { hint: guess && `did you mean "${guess}"?` });
    } else if (workload.role === 'none') {
      bag.report('workload-without-proxy', workload.object.document.spanOf(['metadata', 'name']), { name: key });
    } else chosen.add(workload);
  }
  return topology.workloads.filter((workload) => chosen.has(workload));
}
