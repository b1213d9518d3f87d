import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Failure, failuresAsText } from './failures.ts';
import { cpuSeconds } from './process-times.ts';
import { budget, type FileTimes, type RunTimes, type TestTimes, timesFile } from './times.ts';

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
}

const runs: readonly Run[] = [
  { name: 'all', node: '.tools/bin/node', projects: ['unit', 'e2e*'] },
  { name: 'floor', node: '.tools/bin/node22', projects: ['unit'] },
];

mkdirSync('.cache', { recursive: true });
const results = runs.map(start);
const times: TestTimes = { processors: availableParallelism(), runs: results.map((result) => result.times) };
writeFileSync(timesFile, JSON.stringify(times));
for (const { times, failures } of results) process.stdout.write(failuresAsText(times.name, failures));
const took = (of: 'seconds' | 'cpuSeconds'): string =>
  `${Math.round(times.runs.reduce((all, run) => all + run[of], 0))} of ${budget[of]}`;
console.log(`took ${took('seconds')} seconds and ${took('cpuSeconds')} CPU-seconds; make times writes where they went`);
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

function start({ name, node, projects }: Run): Result {
  const report = `.cache/test-${name}.json`;
  const filesReport = `.cache/test-times-${name}.json`;
  const failuresReport = `.cache/test-failures-${name}.json`;
  for (const file of [report, filesReport, failuresReport]) rmSync(file, { force: true });
  const chosen = projects.flatMap((project) => ['--project', project]);
  const own = ['times', 'failures'].map((what) => `./scripts/test/${what}-reporter.ts`);
  const reporters = ['default', 'json', ...own].map((reporter) => `--reporter=${reporter}`);
  const args = ['run', ...chosen, ...reporters, `--outputFile.json=${report}`];
  const env = { NO_COLOR: '1', ...process.env, TEST_TIMES: filesReport, TEST_FAILURES: failuresReport, TEST_RUN: name };
  const [startedAt, before] = [performance.now(), cpuSeconds().ofChildren];
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', ...args], { stdio: 'inherit', env });
  return {
    counts: counted(readJson<Report>(report), status),
    times: {
      name,
      seconds: (performance.now() - startedAt) / 1_000,
      cpuSeconds: cpuSeconds().ofChildren - before,
      files: readJson<FileTimes[]>(filesReport) ?? [],
    },
    failures: readJson<Failure[]>(failuresReport) ?? [],
  };
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
