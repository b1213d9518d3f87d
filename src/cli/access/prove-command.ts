import { type ProofResult, proveWays } from '../../gauge/prove.ts';
import type { GateRun } from '../../gauge/run-gates.ts';
import { TokenSigner } from '../../gauge/token-signer.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { locateEnvoy } from '../agent/asked-envoy.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import type { AccessOptions, OpenMesh } from './open-mesh.ts';
import { casesOfTests, generatedCases, type ProofCase } from './proof-case.ts';
import { type CaseProof, formatProofRun, proofRunJson, standingOf } from './proof-report.ts';
import { isWanted, readTests } from './read-tests.ts';

/** Options of `meshpol prove`, as the command line spells them. */
export interface ProveOptions extends AccessOptions {
  readonly cases?: number;
  readonly seed?: number;
  readonly filter?: string;
  readonly tag?: readonly string[];
  readonly envoy?: readonly string[];
  readonly format: 'text' | 'json';
}

/** Sends requests to a real Envoy, and compares. 1: something is not as predicted, or not tried, or the inputs have errors. */
export async function runProve(positional: readonly string[], options: ProveOptions, io: CliIo): Promise<ExitCode> {
  requireSense(options);
  const named = options.envoy ?? [undefined];
  const envoys = named.map((one) => locateEnvoy(one, io.environment, '--envoy'));
  const seed = options.cases === undefined ? undefined : (options.seed ?? Math.floor(Math.random() * 999_999_999) + 1);
  const signer = await TokenSigner.create();
  const found = await findCases(positional, { ...options, signer }, seed, io);
  if (found === undefined) return exitCode.no;
  const results = await io.untilStopped((stop) => proveOn(envoys, found, { stop, tokenKey: signer.publicKey }));
  const cases = found.map(
    (proofCase, i): CaseProof => ({ proofCase, results: results.map((all) => all[i] as ProofResult) }),
  );
  const run = { envoys, seed, cases };
  const json = (): string => `${JSON.stringify(proofRunJson(run), undefined, 2)}\n`;
  await io.writeOut(options.format === 'json' ? json() : formatProofRun(run, io.colours));
  return cases.every((one) => standingOf(one) === 'as-predicted') ? exitCode.done : exitCode.no;
}

function requireSense({ cases, seed, filter, tag, envoy = [] }: ProveOptions): void {
  if (cases === undefined && seed !== undefined)
    throw new UsageError('--seed needs --cases: only generated requests have a seed');
  const selecting = filter === undefined ? (tag === undefined ? undefined : '--tag') : '--filter';
  if (cases !== undefined && selecting !== undefined) {
    throw new UsageError(`${selecting} and --cases exclude each other: generated requests have no names and tags`);
  }
  if (envoy.length > 2) throw new UsageError('--envoy is given more than twice: at most two are compared');
}

async function findCases(
  positional: readonly string[],
  options: ProveOptions & { readonly signer: TokenSigner },
  seed: number | undefined,
  io: CliIo,
): Promise<readonly ProofCase[] | undefined> {
  const paths = [...positional, ...(options.filename ?? [])];
  const all = paths.length === 0 ? ['.'] : paths;
  const { filename: _named, ...rest } = options;
  if (seed !== undefined) return generatedCases(all, { count: options.cases ?? 0, seed }, rest, io);
  const tests = await readTests(all, options, io);
  if (tests === undefined) return undefined;
  const chosen = tests.map((placed) => ({
    placed,
    cases: placed.test.cases.filter((one) => isWanted(one, placed, options)),
  }));
  if (chosen.every(({ cases }) => cases.length === 0)) {
    const hint =
      tests.length === 0 ? 'the paths hold no "kind: PolicyTest"; --cases generates requests' : 'none is selected';
    throw new UsageError(`there is no case to prove: ${hint}`);
  }
  return casesOfTests(chosen, rest, io);
}

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
