import type { Topology, Workload } from './model.ts';
import { LabelIndex } from './selector.ts';

const known = new WeakMap<Topology['workloads'], LabelIndex<Workload>>();

/** The workloads by their labels; made once a topology, for all who look for what a selector selects. */
export function workloadsByLabels(topology: Topology): LabelIndex<Workload> {
  const index = known.get(topology.workloads) ?? new LabelIndex(topology.workloads);
  known.set(topology.workloads, index);
  return index;
}
