import { type ProofResult, proveWays } from '../../gauge/prove.ts';
import type { GateRun } from '../../gauge/run-gates.ts';
import type { OpenMesh } from './open-mesh.ts';
import type { ProofCase } from './proof-case.ts';

/** So many requests at most come to one Envoy: each takes a port of the machine for a while. */
const batch = 5_000;

/** By Envoy, the results of the cases in their order. */
export async function proveOn(
  envoys: readonly string[],
  cases: readonly ProofCase[],
  run: Pick<GateRun, 'stop' | 'tokenKey'>,
): Promise<readonly (readonly ProofResult[])[]> {
  const byMesh = new Map<OpenMesh, number[]>();
  for (const [i, { mesh, proven }] of cases.entries()) {
    if ('ways' in proven) byMesh.set(mesh, [...(byMesh.get(mesh) ?? []), i]);
  }
  const all: ProofResult[][] = [];
  for (const binary of envoys) {
    const results = cases.map(({ proven }): ProofResult => ('ways' in proven ? { proofs: [], gaps: [] } : proven));
    for (const [mesh, indexes] of byMesh) {
      for (let from = 0; from < indexes.length; from += batch) {
        const part = indexes.slice(from, from + batch);
        const requests = part.flatMap((i) => {
          const proven = cases[i]?.proven;
          return proven !== undefined && 'ways' in proven ? [proven] : [];
        });
        const proved = await proveWays(requests, mesh.configOf, { binary, ...run });
        for (const [k, i] of part.entries()) results[i] = proved[k] ?? { proofs: [], gaps: ['no answer'] };
      }
    }
    all.push(results);
  }
  return all;
}
