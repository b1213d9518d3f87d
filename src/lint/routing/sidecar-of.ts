import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { selects } from '../../compiler/topology/selector.ts';
import { append } from '../../lib/append.ts';
import type { Sidecar } from '../../policy/sidecar.ts';

const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly Sidecar[]>>();

/**
 * The Sidecar that says what a workload imports; undefined where none does. Of two of one level the first of the input:
 * that they compete is told by another finding.
 */
export function sidecarOf({ namespace, labels }: Workload, snapshot: Snapshot): Sidecar | undefined {
  const byNamespace = known.get(snapshot) ?? limiting(snapshot.policies.sidecars);
  known.set(snapshot, byNamespace);
  const own = byNamespace.get(namespace) ?? [];
  const isWhole = (sidecar: Sidecar): boolean => Object.keys(labelsOf(sidecar)).length === 0;
  return (
    own.find((sidecar) => !isWhole(sidecar) && selects(labelsOf(sidecar), labels)) ??
    own.find(isWhole) ??
    byNamespace.get(snapshot.settings.rootNamespace)?.find(isWhole)
  );
}

function limiting(sidecars: readonly Sidecar[]): ReadonlyMap<string, readonly Sidecar[]> {
  const byNamespace = new Map<string, Sidecar[]>();
  for (const sidecar of sidecars) {
    if (sidecar.spec.egress !== undefined) append(byNamespace, sidecar.namespace, sidecar);
  }
  return byNamespace;
}

function labelsOf({ spec }: Sidecar): Readonly<Record<string, string>> {
  return spec.workloadSelector?.labels ?? {};
}
