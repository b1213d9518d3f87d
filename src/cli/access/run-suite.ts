import { dirname, isAbsolute, join } from 'node:path';
import { travel } from '../../access/evaluate/travel.ts';
import { explainWays } from '../../access/explanation.ts';
import { Signatures } from '../../access/signatures.ts';
import { mismatches } from '../../access/suite/judge.ts';
import type { CaseResult } from '../../access/suite/result.ts';
import type { PolicyTest, PolicyTestCase, WrittenWorkload } from '../../config/policy-test.ts';
import { visible } from '../../diagnostics/formats/visible.ts';
import { lineAndColumn, lineStarts } from '../../diagnostics/span.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { AssumedWorkload } from '../../library/assumed-workload.ts';
import type { SourceFile } from '../../source/document.ts';
import type { CliIo } from '../io.ts';
import { parseAssumedWorkload } from './assume-option.ts';
import { type AccessOptions, type OpenMesh, openMesh } from './open-mesh.ts';
import type { RunCoverage } from './test-coverage.ts';
import type { TestOptions } from './test-options.ts';
import { writtenAccesses } from './written-request.ts';

/** A test, and the file that it stands in. */
export interface PlacedTest {
  readonly test: PolicyTest;
  readonly file: SourceFile;
}

/** Compiled meshes by their inputs and workloads: several tests may have the same. */
export type OpenMeshes = Map<string, Promise<OpenMesh | undefined>>;

/**
 * Runs the cases of one test that are wanted; undefined where its inputs have errors, which are printed. A `UsageError` names
 * the file and line of what makes no sense in this mesh.
 */
export async function runSuite(
  { test, file }: PlacedTest,
  wanted: readonly PolicyTestCase[],
  options: TestOptions,
  io: CliIo,
  meshes: OpenMeshes,
  coverage?: RunCoverage,
): Promise<readonly CaseResult[] | undefined> {
  const mesh = await meshOf({ test, file }, options, io, meshes);
  if (mesh === undefined) return undefined;
  const now = (test.now === undefined ? Date.now() : Date.parse(test.now)) / 1_000;
  const lines = linesOf({ test, file });
  const results: CaseResult[] = [];
  for (const one of wanted)
    results.push(await runCase({ test, file }, one, { mesh, now, coverage, lines, keepsWays: showsWays(options) }));
  return results;
}

/** The files and folders that a test names as its inputs. */
export function inputPathsOf({ test, file }: PlacedTest): readonly string[] {
  const folder = dirname(file.path);
  return (test.inputs ?? ['.']).map((path) => (isAbsolute(path) ? path : join(folder, path)));
}

/** The compiled inputs of a test; undefined where they have errors, which are printed once. */
export async function meshOf(
  { test, file }: PlacedTest,
  options: AccessOptions,
  io: CliIo,
  meshes: OpenMeshes,
): Promise<OpenMesh | undefined> {
  const paths = inputPathsOf({ test, file });
  const assume = test.workloads.map((workload, i) =>
    at(file, test, ['spec', 'workloads', i], () => assumedWorkload(workload)),
  );
  const key = JSON.stringify([paths, assume]);
  const opened = meshes.get(key) ?? openMesh(paths, { ...options, assume: [...assume, ...(options.assume ?? [])] }, io);
  meshes.set(key, opened);
  return opened;
}

/** What the cases of one test have in common. */
interface SuiteContext {
  readonly mesh: OpenMesh;
  /** Of the requests, in seconds. */
  readonly now: number;
  readonly coverage: RunCoverage | undefined;
  readonly lines: (one: PolicyTestCase) => number;
  /** Also of cases that pass, whose ways take most of the memory. */
  readonly keepsWays: boolean;
}

/** Whether something is told of the way of a request that went as expected, or may be: what Envoy does is known later. */
function showsWays({ output = [], verbose, prove }: TestOptions): boolean {
  return verbose === true || prove === true || output.some(({ form }) => form === 'json');
}

async function runCase(
  { test, file }: PlacedTest,
  one: PolicyTestCase,
  { mesh, now, coverage, lines, keepsWays }: SuiteContext,
): Promise<CaseResult> {
  const { name, tags, path, expect: expected, request: written } = one;
  const inPlace = <T>(run: () => T): T => at(file, test, path, run);
  if (expected === undefined)
    throw new UsageError(
      `${visible(file.path)}:${lines(one)}: the case "${visible(name)}" expects nothing: add "expect"`,
    );
  const { world, originsOf } = mesh;
  const requests = inPlace(() => writtenAccesses(written, mesh));
  const signatures = new Signatures();
  for (const { request } of requests) if (request !== undefined) await signatures.learn(world.proxies, request);
  const judge = { now, claims: written.claims, signatures };
  const observers = coverage?.observersOf(mesh);
  const ways = explainWays(
    requests.flatMap((request) => travel(world, request, judge, observers)),
    originsOf,
  );
  coverage?.countRoutes(ways);
  const found = mismatches(ways, expected);
  return {
    ...{ suite: test.name, name, tags, file: file.path },
    // Most cases pass, and nobody asks where they stand.
    get line() {
      return lines(one);
    },
    ...{ expected, ways: keepsWays || found.length > 0 ? ways : [], mismatches: found },
  };
}

/**
 * Gives the line of each case of a test, counted from 1. All are found at once: what else is looked up between two throws the
 * positions of this document away.
 */
export function linesOf({ test: { document, cases }, file }: PlacedTest): (one: PolicyTestCase) => number {
  let lines: ReadonlyMap<PolicyTestCase, number> | undefined;
  return (one) => {
    if (lines === undefined) {
      const starts = lineStarts(file.text);
      lines = new Map(
        cases.map((each) => [each, lineAndColumn(starts, document.spanOf(each.path).start).line] as const),
      );
    }
    return lines.get(one) ?? 1;
  };
}

function assumedWorkload({ name, labels, account, ports = [], proxy }: WrittenWorkload): AssumedWorkload {
  const fields = [
    ...(labels === undefined
      ? []
      : [
          `labels=${Object.entries(labels)
            .map(([key, value]) => `${key}:${value}`)
            .join('+')}`,
        ]),
    ...(account === undefined ? [] : [`account=${account}`]),
    ...(ports.length === 0 ? [] : [`ports=${ports.join('+')}`]),
    ...(proxy === undefined ? [] : [`proxy=${proxy}`]),
  ];
  return parseAssumedWorkload([name, ...fields].join(','));
}

/** Adds file and line to what is thrown of a mistake in the test. */
export function at<T>(file: SourceFile, test: PolicyTest, path: PolicyTestCase['path'], run: () => T): T {
  try {
    return run();
  } catch (error) {
    const isMistake = error instanceof UsageError || (error as { code?: unknown }).code === 'commander.invalidArgument';
    if (!isMistake) throw error;
    throw new UsageError(`${visible(file.path)}:${lineOf(file, test, path)}: ${visible((error as Error).message)}`);
  }
}

/** Of a case; counts from 1. */
function lineOf(file: SourceFile, { document }: PolicyTest, path: PolicyTestCase['path']): number {
  return lineAndColumn(lineStarts(file.text), document.spanOf(path).start).line;
}
