import { resolve } from 'node:path';
import { UsageError } from '../../lib/usage-error.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import type { CoverageForm } from './coverage-options.ts';
import { runInit } from './init-command.ts';
import type { FormOutput, TestOptions, TestOutput } from './test-options.ts';
import { runCases, type TestRun, tellRun } from './test-run.ts';
import { watchTests } from './watch-tests.ts';

/** Runs the cases of the tests that the paths hold. 1: a case failed, or the inputs have errors; 2: there is no case. */
export async function runTest(positional: readonly string[], options: TestOptions, io: CliIo): Promise<ExitCode> {
  const named = [...positional, ...(options.filename ?? [])];
  const paths = named.length === 0 ? ['.'] : named;
  if (options.init !== undefined) return runInit(options.init, paths, options, io);
  if (options.force === true) throw new UsageError('--force is of --init <file>');
  if (options.envoy !== undefined && options.prove !== true) throw new UsageError('--envoy is of --prove');
  requireOneForm(options.output ?? [{ form: 'text' }], options.coverage ?? []);
  if (options.watch === true) return watchTests(paths, options, io);
  const once = (stop: AbortSignal): Promise<TestRun | undefined> => runCases(paths, options, io, { stop });
  // Only an Envoy must not be left behind.
  const run = options.prove === true ? await io.untilStopped(once) : await once(new AbortController().signal);
  return run === undefined ? exitCode.no : tellRun(run, options, io);
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
