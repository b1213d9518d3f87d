import { type PolicyTestCase, parsePolicyTests } from '../../config/policy-test.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { readSources } from '../../source/read.ts';
import type { CliIo } from '../io.ts';
import type { PlacedTest } from './run-suite.ts';
import type { TestOptions } from './test-options.ts';

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
  // Who runs the cases tells that there are none. An empty pipe is a command that failed.
  if (!paths.includes('-') && errors.every(({ code }) => code === 'empty-input')) return [];
  await io.writeError(format(errors, files, 'text'));
  return undefined;
}

/** A test, and those of its cases that the command line chooses. */
export interface ChosenCases {
  readonly placed: PlacedTest;
  readonly cases: readonly PolicyTestCase[];
}

/** The tests with cases that `--filter` and `--tag` choose; throws a UsageError where none is left to run. */
export function chooseCases(
  tests: readonly PlacedTest[],
  options: Pick<TestOptions, 'filter' | 'tag'>,
): readonly ChosenCases[] {
  const chosen = tests.map((placed) => ({
    placed,
    cases: placed.test.cases.filter((one) => isWanted(one, placed, options)),
  }));
  const some = chosen.filter(({ cases }) => cases.length > 0);
  if (some.length > 0) return some;
  const all = tests.reduce((sum, { test }) => sum + test.cases.length, 0);
  const none = tests.length === 0 ? 'the paths hold no "kind: PolicyTest"' : `none of ${all} cases is selected`;
  throw new UsageError(`there is no case to run: ${none}`);
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
