import {
  formatSuiteGithub,
  formatSuiteJson,
  formatSuiteJunit,
  formatSuiteMarkdown,
} from '../../access/report/suite-forms.ts';
import { formatSuiteText } from '../../access/report/suite-text.ts';
import { type CaseResult, hasPassed } from '../../access/suite/result.ts';
import type { PlacedDiagnostic } from '../../diagnostics/placed.ts';
import { WorldFailure } from '../../lib/failure.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { escapeMarkup } from '../../lint/formats/markup.ts';
import { locateEnvoy } from '../agent/asked-envoy.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { countWarnings, formatWarnings, joinWarnings } from './input-warnings.ts';
import { type ChosenCases, chooseCases, readTests } from './read-tests.ts';
import { inputPathsOf, type OpenMeshes, runSuite } from './run-suite.ts';
import { coverageFormats, RunCoverage, shortfalls } from './test-coverage.ts';
import type { TestForm, TestOptions } from './test-options.ts';
import { proveResults } from './test-proofs.ts';

/** What became of the cases of one run. */
export interface TestRun {
  readonly results: readonly CaseResult[];
  /** Absent without `--coverage` and `--fail-under`. */
  readonly coverage: RunCoverage | undefined;
  /** False: the inputs of a test have errors, so that its cases are not among the results. */
  readonly isSound: boolean;
  /** What `meshpol compile` warns of in the inputs of all tests. */
  readonly warnings: readonly PlacedDiagnostic[];
}

/** What whoever starts a run has to do with it. */
export interface RunContext {
  /** Ends the run. */
  readonly stop: AbortSignal;
  /** Called with the paths of all inputs that tests name, before any of them is read. */
  readonly onInputs?: (paths: readonly string[]) => Promise<void>;
}

/** Reads the tests, and tries their cases; undefined where a test has mistakes, which are printed. */
export async function runCases(
  paths: readonly string[],
  options: TestOptions,
  io: CliIo,
  { stop, onInputs }: RunContext,
): Promise<TestRun | undefined> {
  const binary = options.prove === true ? locateEnvoy(options.envoy, io.environment, '--envoy') : undefined;
  const tests = await readTests(paths, options, io);
  if (tests === undefined) return undefined;
  await onInputs?.(tests.flatMap(inputPathsOf));
  const meshes: OpenMeshes = new Map();
  const isMeasured = (options.coverage ?? options.failUnder) !== undefined;
  const coverage = isMeasured ? new RunCoverage() : undefined;
  const chosen = chooseCases(tests, options);
  const tried: ChosenCases[] = [];
  const results: CaseResult[] = [];
  for (const one of chosen) {
    const own = await runSuite(one.placed, one.cases, options, io, meshes, coverage);
    if (own === undefined) continue;
    results.push(...own);
    tried.push(one);
  }
  const opened = await Promise.all(meshes.values());
  const warnings = joinWarnings(opened.flatMap((mesh) => mesh?.warnings ?? []));
  const run = { results, coverage, isSound: tried.length === chosen.length, warnings };
  if (binary === undefined) return run;
  return { ...run, results: await proveResults(results, tried, options, { io, meshes, binary, stop }) };
}

const forms: Readonly<Record<TestForm, (results: readonly CaseResult[], options: TestOptions) => string>> = {
  text: (results, { verbose = false }) => formatSuiteText(results, { all: verbose }),
  json: formatSuiteJson,
  junit: (results) => formatSuiteJunit(results, escapeMarkup),
  markdown: formatSuiteMarkdown,
  github: formatSuiteGithub,
};

/** Writes results and coverage in each form that is asked for. */
export async function tellRun(
  { results, coverage, isSound, warnings }: TestRun,
  options: TestOptions,
  io: CliIo,
): Promise<ExitCode> {
  for (const { form, file } of options.output ?? [{ form: 'text' as const, file: undefined }])
    await writeForm(forms[form](results, options), file, io);
  const hasFailed = !results.every(hasPassed);
  // Whoever asks why a case failed needs them; otherwise each run would repeat what is known.
  await io.writeError(hasFailed ? formatWarnings({ shown: warnings, others: 0 }) : countWarnings(warnings));
  const isCovered = coverage === undefined || (await tellCoverage(coverage, options, io));
  return isSound && isCovered && !hasFailed ? exitCode.done : exitCode.no;
}

/** Writes the coverage in each form; false where less is covered than wanted. */
async function tellCoverage(
  { report }: RunCoverage,
  { coverage = [], failUnder = [] }: TestOptions,
  io: CliIo,
): Promise<boolean> {
  for (const { form, file } of coverage) await writeForm(coverageFormats[form](report), file, io);
  const short = shortfalls(report, failUnder);
  for (const sentence of short) await io.writeError(`${sentence}\n`);
  return short.length === 0;
}

/** To standard output without a file. */
async function writeForm(text: string, file: string | undefined, io: CliIo): Promise<void> {
  if (file === undefined) return io.writeOut(text);
  try {
    await replaceFile(file, text);
  } catch (cause) {
    throw new WorldFailure('output-unwritable', `cannot write "${file}"`, { cause });
  }
}
