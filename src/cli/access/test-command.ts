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
import type { AccessOptions } from './open-mesh.ts';
import { type OpenMeshes, type PlacedTest, runSuite } from './run-suite.ts';
import type { TestForm, TestOutput } from './test-options.ts';

/** Options of `meshpol test`, as the command line spells them. */
export interface TestOptions extends AccessOptions {
  readonly filter?: string;
  readonly tag?: readonly string[];
  readonly output?: readonly TestOutput[];
  readonly verbose?: true;
}

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
  const results: CaseResult[] = [];
  let isSound = true;
  for (const { placed, cases } of chosen) {
    if (cases.length === 0) continue;
    const own = await runSuite(placed, cases, options, io, meshes);
    if (own === undefined) isSound = false;
    else results.push(...own);
  }
  for (const { form, file } of options.output ?? [{ form: 'text' }]) {
    const text = forms[form](results, options);
    if (file === undefined) await io.writeOut(text);
    else await writeFile(file, text);
  }
  return isSound && results.every(hasPassed) ? exitCode.done : exitCode.no;
}

/** Undefined where a test has mistakes, which are printed. */
async function readTests(
  paths: readonly string[],
  { exclude = [], maxFileSize }: TestOptions,
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

function isWanted(one: PolicyTestCase, { test }: PlacedTest, { filter, tag = [] }: TestOptions): boolean {
  const isNamed = filter === undefined || `${test.name} > ${one.name}`.includes(filter);
  return isNamed && tag.every((wanted) => one.tags.includes(wanted));
}

async function writeFile(file: string, text: string): Promise<void> {
  try {
    await replaceFile(file, text);
  } catch (cause) {
    throw new WorldFailure('output-unwritable', `cannot write "${file}"`, { cause });
  }
}
