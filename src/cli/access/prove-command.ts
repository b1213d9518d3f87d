import { visible } from '../../diagnostics/formats/visible.ts';
import type { ProofResult } from '../../gauge/prove.ts';
import { TokenSigner } from '../../gauge/token-signer.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { locateEnvoy } from '../agent/asked-envoy.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import type { AccessOptions } from './open-mesh.ts';
import { casesOfTests, generatedCases, type ProofCase } from './proof-case.ts';
import { type CaseProof, findingOf, formatProofRun, proofRunJson, standingOf } from './proof-report.ts';
import { proveOn } from './prove-on.ts';
import { isWanted, readTests } from './read-tests.ts';
import { smallestFinding, type Trying } from './smallest-finding.ts';
import { requireWritable, type WrittenFinding, writeFinding } from './write-finding.ts';

/** Options of `meshpol prove`, as the command line spells them. */
export interface ProveOptions extends AccessOptions {
  readonly cases?: number;
  readonly seed?: number;
  readonly filter?: string;
  readonly tag?: readonly string[];
  readonly envoy?: readonly string[];
  readonly write?: string;
  readonly format: 'text' | 'json';
}

/** Sends requests to a real Envoy, and compares. 1: something is not as predicted, or not tried, or the inputs have errors. */
export async function runProve(positional: readonly string[], options: ProveOptions, io: CliIo): Promise<ExitCode> {
  requireSense(options);
  if (options.write !== undefined) await requireWritable(options.write, options);
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
  const { write, format, ...mesh } = options;
  if (format === 'text') await io.writeOut(formatProofRun(run, io.colours));
  const written =
    write === undefined
      ? undefined
      : await io.untilStopped((stop) => writeFindings(write, cases, { envoys, options: mesh, signer, run: stop, io }));
  if (format === 'json') {
    await io.writeOut(`${JSON.stringify({ ...proofRunJson(run), written }, undefined, 2)}\n`);
  }
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

/** So many at most are made smaller: each takes a minute or so. */
const maxFindings = 20;

/** Of each kind of finding the first, as small as it gets; what became of each is told on standard error. */
async function writeFindings(
  parent: string,
  cases: readonly CaseProof[],
  trying: Trying,
): Promise<readonly WrittenFinding[]> {
  const kinds = new Map<string, CaseProof>();
  for (const one of cases) {
    const kind = findingOf(one);
    if (kind !== undefined && !kinds.has(kind)) kinds.set(kind, one);
  }
  const written: WrittenFinding[] = [];
  for (const one of [...kinds.values()].slice(0, maxFindings)) {
    const { name } = one.proofCase;
    const smallest = await smallestFinding(one, trying);
    const finding = smallest && (await writeFinding(parent, smallest, trying.options));
    if (finding !== undefined) written.push(finding);
    await trying.io.writeError(`${visible(name)}: ${finding === undefined ? notShown : toldOf(finding)}\n`);
  }
  const left = kinds.size - maxFindings;
  if (left > 0) await trying.io.writeError(`${left} more kinds of differences are not written\n`);
  return written;
}

const notShown = 'not written: the objects of the inputs alone do not show the difference again';

function toldOf({ folder, isNew, objects }: WrittenFinding): string {
  const count = `${objects} ${objects === 1 ? 'object' : 'objects'}`;
  return isNew ? `written to ${folder}, with ${count}` : `${folder} is there already, and stays as it is`;
}
