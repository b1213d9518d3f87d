import type { Snapshot } from '../compiler/snapshot.ts';
import { append } from '../lib/append.ts';
import { hasTopology } from './declared.ts';
import type { Finding, NotChecked } from './finding.ts';

/** What analysis says of the input, as findings: what rests on an absence is no error, and nothing where the input names nothing of its kind. */
export function diagnosticFindings(snapshot: Snapshot): readonly Finding[] {
  const { diagnostics, absences } = snapshot;
  if (!hasTopology(snapshot)) return diagnostics;
  return [
    ...diagnostics,
    ...absences
      .filter(({ isUnseen }) => !isUnseen)
      .map((it) => (it.severity === 'error' ? { ...it, severity: 'warning' as const } : it)),
  ];
}

/** What analysis could not judge, because the input does not say who is in the mesh, or in that part of it. */
export function diagnosticsNotChecked(snapshot: Snapshot): readonly NotChecked[] {
  const isPlaced = hasTopology(snapshot);
  const byCode = new Map<string, object[]>();
  for (const absence of snapshot.absences) {
    // Of a Service with its Deployment all is checked that can be: the cluster makes the pods.
    if (absence.isOfCluster && isPlaced) continue;
    if (!isPlaced || absence.isUnseen) append(byCode, absence.code, absence);
  }
  return [...byCode].map(([code, { length }]) => ({ code, count: length }));
}
