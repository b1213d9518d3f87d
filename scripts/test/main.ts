import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { type Failure, failuresAsText } from './failures.ts';
import { budget, type RunTimes, type TestTimes, timesFile } from './times.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What is read of the report that Vitest writes. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

interface Run {
  readonly name: RunTimes['name'];
  readonly node: string;
  readonly projects: readonly string[];
  /** Runs beside the one before it, which goes first where both want a processor; its output comes at its end. */
  readonly isAside?: true;
}

/** Tests on an API server wait half of their time, and none of them measures: beside them the unit tests run again. */
const steps: readonly (readonly Run[])[] = [
  [{ name: 'all', node: '.tools/bin/node', projects: ['unit', 'e2e-apart', 'e2e'] }],
  [
    { name: 'clusters', node: '.tools/bin/node', projects: ['e2e-clusters'] },
    { name: 'floor', node: '.tools/bin/node22', projects: ['unit'], isAside: true },
  ],
];

mkdirSync('.cache', { recursive: true });
const startedAt = performance.now();
const results: Result[] = [];
for (const step of steps) results.push(...(await Promise.all(step.map(start))));
const seconds = (performance.now() - startedAt) / 1_000;
const times: TestTimes = { processors: availableParallelism(), seconds, runs: results.map((result) => result.times) };
writeFileSync(timesFile, JSON.stringify(times));
for (const { times, failures } of results) process.stdout.write(failuresAsText(times.name, failures));
const computed = times.runs.reduce((all, run) => all + run.cpuSeconds, 0);
const took = (what: number, of: keyof typeof budget): string => `${Math.round(what)} of ${budget[of]}`;
console.log(
  `took ${took(seconds, 'seconds')} seconds and ${took(computed, 'cpuSeconds')} CPU-seconds; make times writes where they went`,
);
const sum = (of: keyof Counts): number => results.reduce((total, { counts }) => total + counts[of], 0);
const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
const isSkipFatal = process.env.CI === 'true' && skipped > 0;
process.exitCode = failed > 0 || passed === 0 || isSkipFatal ? 1 : 0;

interface Result {
  readonly counts: Counts;
  readonly times: RunTimes;
  readonly failures: readonly Failure[];
}

async function start({ name, node, projects, isAside }: Run): Promise<Result> {
  const report = `.cache/test-${name}.json`;
  const timesReport = `.cache/test-times-${name}.json`;
  const failuresReport = `.cache/test-failures-${name}.json`;
  for (const file of [report, timesReport, failuresReport]) rmSync(file, { force: true });
  const chosen = projects.flatMap((project) => ['--project', project]);
  const own = ['times', 'failures'].map((what) => `./scripts/test/${what}-reporter.ts`);
  const reporters = ['default', 'json', ...own].map((reporter) => `--reporter=${reporter}`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...chosen, ...reporters, `--outputFile.json=${report}`];
  const env = { NO_COLOR: '1', ...process.env, TEST_TIMES: timesReport, TEST_FAILURES: failuresReport, TEST_RUN: name };
  const status = isAside ? await runAside(node, args, env, `.cache/test-${name}.log`) : await run(node, args, env);
  return {
    counts: counted(readJson<Report>(report), status),
    times: { name, seconds: 0, cpuSeconds: 0, files: [], ...readJson<RunTimes>(timesReport) },
    failures: readJson<Failure[]>(failuresReport) ?? [],
  };
}

async function run(node: string, args: string[], env: NodeJS.ProcessEnv, output?: number): Promise<number | null> {
  const child = spawn(node, args, { stdio: output === undefined ? 'inherit' : ['ignore', output, output], env });
  if (output !== undefined && child.pid !== undefined) setPriority(child.pid, 5);
  const [status] = await once(child, 'exit');
  return status;
}

async function runAside(node: string, args: string[], env: NodeJS.ProcessEnv, log: string): Promise<number | null> {
  const output = openSync(log, 'w');
  const status = await run(node, args, env, output);
  closeSync(output);
  process.stdout.write(readFileSync(log));
  return status;
}

/** A run that ended badly without a failed test counts as one. */
function counted(report: Report | undefined, status: number | null): Counts {
  const failed = report?.numFailedTests ?? 0;
  return {
    passed: report?.numPassedTests ?? 0,
    failed: status !== 0 && failed === 0 ? 1 : failed,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  };
}

function readJson<T>(file: string): T | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
