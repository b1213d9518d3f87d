import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Workload } from './model.ts';
import { nameOf } from './object-name.ts';
import type { BoundService } from './targets.ts';

/** Warns of each WorkloadEntry that neither serves nor has a proxy: a mistyped label leaves its machine out of the mesh. */
export function reportUnusedEntries(
  workloads: readonly Workload[],
  services: readonly BoundService[],
  bag: DiagnosticBag,
): void {
  const idle = workloads.filter(
    ({ kind, role, targets }) => kind === 'WorkloadEntry' && role === 'none' && targets.length === 0,
  );
  if (idle.length === 0) return;
  // Endpoints of another namespace may name its address.
  const used = new Set(
    services.flatMap(({ known }) => known.flatMap(({ workload }) => (workload ? [nameOf(workload)] : []))),
  );
  for (const workload of idle) {
    const name = nameOf(workload);
    if (used.has(name)) continue;
    bag.report('unused-workload-entry', workload.object.document.spanOf(['metadata', 'name']), { name });
  }
}
