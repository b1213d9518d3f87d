import { writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { WorldFailure } from '../../lib/failure.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { sortedBy } from '../../lib/sort.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type FirstRule, formatFirstTest } from '../../library/first-test/format-first-test.ts';
import { missingWorkloads } from '../../library/first-test/missing-workloads.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { firstPlaces } from './first-places.ts';
import { firstRules } from './first-rules.ts';
import { openMesh } from './open-mesh.ts';
import { readAssumptions } from './prepare-mesh.ts';
import type { TestOptions } from './test-options.ts';

/**
 * Writes a first test of the policies that the paths hold to a file, `-`: to standard output. A file that is there already is
 * kept without `--force`.
 */
export async function runInit(
  file: string,
  inputs: readonly string[],
  options: TestOptions,
  io: CliIo,
): Promise<ExitCode> {
  refuseOptions(options);
  if (inputs.includes('-'))
    throw new UsageError('--init needs files, which the written test names as its inputs, not standard input');
  const given = await readAssumptions(options.assume ?? []);
  const bare = await openMesh(inputs, { ...options, filename: [], assume: given }, io);
  if (bare === undefined) return exitCode.no;
  const isTest = (text: string): boolean => /^kind: PolicyTest\r?$/m.test(text);
  if (bare.files.some(({ path, text }) => resolve(path) === resolve(file) && !isTest(text))) {
    throw new UsageError(`"${file}" is one of the inputs, and stays as it is: name another file`);
  }
  const workloads = [...given, ...missingWorkloads(bare.snapshot)];
  const mesh = await openMesh(inputs, { ...options, filename: [], assume: workloads }, io);
  if (mesh === undefined) return exitCode.no;
  const [rules, places] = [firstRules(mesh), firstPlaces(mesh)];
  const all = sortedBy(
    [...rules, ...places],
    (one) => one.file,
    ({ line }) => line,
    ({ name }) => name,
  );
  if (all.length === 0) {
    const none = 'no rule of an AuthorizationPolicy, no RequestAuthentication, PeerAuthentication or route';
    throw new UsageError(`there is no test to write: the inputs have ${none} that is in force at a proxy`);
  }
  if (countRows(all) === 0)
    throw new UsageError(
      'there is no test to write: no request was found that any of the policies matches, or just not',
    );
  const folder = file === '-' ? '.' : dirname(file);
  const paths = inputs.map((path) => relative(folder, path) || '.');
  const placed = all.map((rule) => ({ ...rule, file: relative(folder, rule.file) }));
  const text = formatFirstTest({ inputs: paths, workloads, rules: placed });
  if (file === '-') await io.writeOut(text);
  else {
    await writeNew(file, text, options.force === true);
    await io.writeOut(`${summary(file, rules, places)}\n`);
  }
  return exitCode.done;
}

/** What runs cases, or is told of them, makes no sense here. */
function refuseOptions({ output, coverage, failUnder, filter, tag, verbose, watch, prove, envoy }: TestOptions): void {
  const given = {
    '--output': output,
    '--coverage': coverage,
    '--fail-under': failUnder,
    '--filter': filter,
    '--tag': tag,
    '--verbose': verbose,
    '--watch': watch,
    '--prove': prove,
    '--envoy': envoy,
  };
  for (const [option, value] of Object.entries(given))
    if (value !== undefined) throw new UsageError(`--init writes cases and runs none: leave ${option} out`);
}

async function writeNew(file: string, text: string, isForced: boolean): Promise<void> {
  try {
    if (isForced) await replaceFile(file, text);
    else await writeFile(file, text, { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new UsageError(`"${file}" is there already, and stays as it is: name another file, or add --force`);
    }
    throw new WorldFailure('output-unwritable', `cannot write "${file}"`, { cause });
  }
}

function summary(file: string, rules: readonly FirstRule[], places: readonly FirstRule[]): string {
  const open = [...rules, ...places].reduce((sum, rule) => sum + rule.open.length, 0);
  const missing = open === 0 ? '' : `; ${open} not shown by any request, as its comments say`;
  const counts = [
    ...(rules.length === 0 ? [] : [`${countRows(rules)} cases for ${rules.length} rules`]),
    ...(places.length === 0 ? [] : [`${countRows(places)} cases for tokens, mutual TLS and routes`]),
  ];
  return `wrote ${file}: ${counts.join(', ')}${missing}`;
}

function countRows(rules: readonly FirstRule[]): number {
  return rules.reduce((sum, { inside, outside }) => sum + inside.length + outside.length, 0);
}
