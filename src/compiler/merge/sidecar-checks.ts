import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { append } from '../../lib/append.ts';
import type { Sidecar } from '../../policy/sidecar.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import { checkWholeReach, checkWorkloadSelector, isTold, type Reach } from './reach-checks.ts';
import { type SidecarIndex, selectedLabels } from './sidecar-index.ts';

/** Reports Sidecars that have no effect because of what else there is. */
export function checkSidecars(index: SidecarIndex, reach: Reach, bag: DiagnosticBag): void {
  for (const [namespace, [kept, ...ignored]] of index.wholeNamespaces) {
    const scope = namespace === reach.rootNamespace ? 'the mesh' : `namespace "${namespace}"`;
    for (const sidecar of kept === undefined ? [] : ignored) {
      const holes = { kind: sidecar.kind, ignored: nameOf(sidecar), kept: nameOf(kept as Sidecar), scope };
      bag.report('competing-scope-policies', placeOf(sidecar), holes, relatedTo(kept as Sidecar));
    }
  }
  checkWholeReach([...index.wholeNamespaces.values()].flat(), reach, bag);
  checkSelecting(index, reach, bag);
}

/** What a Sidecar with a selector loses, by the one that is in force there; in force on a workload it is the oldest. */
function checkSelecting(index: SidecarIndex, reach: Reach, bag: DiagnosticBag): void {
  const lost = new Map(index.selecting.map((sidecar) => [sidecar, new Map<Sidecar, Workload[]>()]));
  const selecting = new Set<Sidecar>();
  for (const workload of lost.size === 0 ? [] : proxiedOf(reach.topology)) {
    const [kept, ...ignored] = index.levelsOf(workload).workload;
    if (kept === undefined) continue;
    for (const sidecar of [kept, ...ignored]) selecting.add(sidecar);
    for (const sidecar of ignored) append(lost.get(sidecar) ?? new Map(), kept, workload);
  }
  for (const [sidecar, winners] of lost) {
    for (const [kept, workloads] of winners) {
      const names = listOf(workloads);
      const holes = { kind: sidecar.kind, ignored: nameOf(sidecar), kept: nameOf(kept), workloads: names };
      bag.report('competing-workload-policies', placeOf(sidecar), holes, relatedTo(kept));
    }
    const wanted = selectedLabels(sidecar);
    if (selecting.has(sidecar) || !isTold(sidecar, reach) || wanted === undefined) continue;
    checkWorkloadSelector(sidecar, wanted, reach, bag);
  }
}

function proxiedOf({ workloads }: Topology): readonly Workload[] {
  return workloads.filter(({ role }) => role === 'sidecar');
}

function listOf(workloads: readonly Workload[]): string {
  const names = workloads.slice(0, 3).map((workload) => `"${nameOf(workload)}"`);
  const rest = workloads.length - names.length;
  return rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ');
}

function placeOf(sidecar: Sidecar) {
  return sidecar.document.spanOf(['metadata', 'name']);
}

function relatedTo(sidecar: Sidecar) {
  return { related: [{ message: 'the one that applies', span: placeOf(sidecar) }] };
}
