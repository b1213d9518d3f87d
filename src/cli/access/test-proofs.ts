import type { CaseResult } from '../../access/suite/result.ts';
import type { ProofResult } from '../../gauge/prove.ts';
import { formatProofs, isProved, proofsJson } from '../../gauge/report.ts';
import { TokenSigner } from '../../gauge/token-signer.ts';
import type { CliIo } from '../io.ts';
import { casesOfTests } from './proof-case.ts';
import { standingOf } from './proof-report.ts';
import { proveOn } from './prove-on.ts';
import type { ChosenCases } from './read-tests.ts';
import type { OpenMeshes } from './run-suite.ts';
import type { TestOptions } from './test-options.ts';

/** Adds to each result what a real Envoy does with the request of the case, as `meshpol prove` tries it. */
export async function proveResults(
  results: readonly CaseResult[],
  chosen: readonly ChosenCases[],
  options: TestOptions,
  { io, meshes, binary, stop }: { io: CliIo; meshes: OpenMeshes; binary: string; stop: AbortSignal },
): Promise<readonly CaseResult[]> {
  const signer = await TokenSigner.create();
  const { filename: _named, ...rest } = options;
  const cases = (await casesOfTests(chosen, { ...rest, signer }, io, meshes)) ?? [];
  const [proved = []] = await proveOn([binary], cases, { stop, tokenKey: signer.publicKey });
  return results.map((result, i) => {
    const [proofCase, proof] = [cases[i], proved[i]];
    if (proofCase === undefined || proof === undefined) throw new Error(`nothing came of "${result.name}" on Envoy`);
    const standing = standingOf({ proofCase, results: [proof] });
    const onEnvoy = { standing, faults: faultsOf(proof), text: formatProofs(proof), details: proofsJson(proof) };
    return { ...result, proof: onEnvoy };
  });
}

/** A sentence for each proxy that did something else, and for each that was not tried. */
function faultsOf(result: ProofResult): readonly string[] {
  if (isProved(result)) return [];
  const one = (part: ProofResult): string =>
    formatProofs(part)
      .split('\n')
      .map((line) => line.trim())
      .join('; ');
  return [
    ...result.proofs
      .filter(({ differences }) => differences.length > 0)
      .map((proof) => one({ proofs: [proof], gaps: [] })),
    ...result.gaps.map((gap) => one({ proofs: [], gaps: [gap] })),
  ].map((sentence) => `on Envoy: ${sentence}`);
}
