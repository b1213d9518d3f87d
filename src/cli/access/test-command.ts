import { resolve } from 'node:path';
import {
  formatSuiteGithub,
  formatSuiteJson,
  formatSuiteJunit,
  formatSuiteMarkdown,
} from '../../access/report/suite-forms.ts';
import { formatSuiteText } from '../../access/report/suite-text.ts';
import { type CaseResult, hasPassed } from '../../access/suite/result.ts';
import { type PolicyTestCase, parsePolicyTests } from '../../config/policy-test.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { WorldFailure } from '../../lib/failure.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { escapeMarkup } from '../../lint/formats/markup.ts';
import { readSources } from '../../source/read.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import type { CoverageForm } from './coverage-options.ts';
import { runInit } from './init-command.ts';
import { type OpenMeshes, type PlacedTest, runSuite } from './run-suite.ts';
import { coverageFormats, RunCoverage, shortfalls } from './test-coverage.ts';
import type { FormOutput, TestForm, TestOptions, TestOutput } from './test-options.ts';

const forms: Readonly<Record<TestForm, (results: readonly CaseResult[], options: TestOptions) => string>> = {
  text: (results, { verbose = false }) => formatSuiteText(results, { all: verbose }),
  json: formatSuiteJson,
  junit: (results) => formatSuiteJunit(results, escapeMarkup),
  markdown: formatSuiteMarkdown,
  github: formatSuiteGithub,
};

/** Runs the cases of the tests that the paths hold. 1: a case failed, or the inputs have errors; 2: there is no case. */
export async function runTest(positional: readonly string[], options: TestOptions, io: CliIo): Promise<ExitCode> {
  const paths = [...positional, ...(options.filename ?? [])];
  if (options.init !== undefined) return runInit(options.init, paths.length === 0 ? ['.'] : paths, options, io);
  if (options.force === true) throw new UsageError('--force is of --init <file>');
  const outputs = options.output ?? [{ form: 'text' }];
  requireOneForm(outputs, options.coverage ?? []);
  const tests = await readTests(paths.length === 0 ? ['.'] : paths, options, io);
  if (tests === undefined) return exitCode.no;
  const chosen = tests.map((placed) => ({
    placed,
    cases: placed.test.cases.filter((one) => isWanted(one, placed, options)),
  }));
  if (chosen.every(({ cases }) => cases.length === 0)) {
    const all = tests.reduce((sum, { test }) => sum + test.cases.length, 0);
    const none = tests.length === 0 ? 'the paths hold no "kind: PolicyTest"' : `none of ${all} cases is selected`;
    throw new UsageError(`there is no case to run: ${none}`);
  }
  const meshes: OpenMeshes = new Map();
  const isMeasured = (options.coverage ?? options.failUnder) !== undefined;
  const coverage = isMeasured ? new RunCoverage() : undefined;
  const results: CaseResult[] = [];
  let isSound = true;
  for (const { placed, cases } of chosen) {
    if (cases.length === 0) continue;
    const own = await runSuite(placed, cases, options, io, meshes, coverage);
    if (own === undefined) isSound = false;
    else results.push(...own);
  }
  for (const { form, file } of outputs) await writeForm(forms[form](results, options), file, io);
  const isCovered = coverage === undefined || (await tellCoverage(coverage, options, io));
  return isSound && isCovered && results.every(hasPassed) ? exitCode.done : exitCode.no;
}

/** Each file has one form; standard output too, or text alone. */
function requireOneForm(outputs: readonly TestOutput[], coverage: readonly FormOutput<CoverageForm>[]): void {
  const files = [...outputs, ...coverage].flatMap(({ file }) => (file === undefined ? [] : [resolve(file)]));
  const twice = files.find((file, i) => files.indexOf(file) !== i);
  if (twice !== undefined)
    throw new UsageError(`"${twice}" is named for two forms: the second would replace the first`);
  const shown = outputs.find(({ file }) => file === undefined);
  const measured = coverage.find(({ file }) => file === undefined);
  if (shown === undefined || measured === undefined || (shown.form === 'text' && measured.form === 'text')) return;
  throw new UsageError(
    `the results (${shown.form}) and the coverage (${measured.form}) can't both go to standard output: name a file, as in --coverage ${measured.form}=FILE`,
  );
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

/** Undefined where a test has mistakes, which are printed. */
export async function readTests(
  paths: readonly string[],
  { exclude = [], maxFileSize }: Pick<TestOptions, 'exclude' | 'maxFileSize'>,
  io: CliIo,
): Promise<readonly PlacedTest[] | undefined> {
  const bag = new DiagnosticBag();
  const files = await readSources(paths, bag, { stdin: io.stdin, maxFileBytes: maxFileSize, exclude });
  const tests = files.flatMap((file) => parsePolicyTests(file, bag).map((test) => ({ test, file })));
  if (!bag.hasErrors) return tests;
  const errors = bag.all.filter(({ severity }) => severity === 'error');
  await io.writeError(format(errors, files, 'text'));
  return undefined;
}

/** Whether `--filter` and `--tag` choose the case. */
export function isWanted(
  one: PolicyTestCase,
  { test }: PlacedTest,
  { filter, tag = [] }: Pick<TestOptions, 'filter' | 'tag'>,
): boolean {
  const isNamed = filter === undefined || `${test.name} > ${one.name}`.includes(filter);
  return isNamed && tag.every((wanted) => one.tags.includes(wanted));
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
