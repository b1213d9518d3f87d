import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** More than any set of unit tests takes, or six end-to-end files. */
const longestMs = 300_000;

/**
 * Runs tests of a project up to the first failure: `['run', ...files]`, or `['related', source]` for those that import a
 * file; none of the `excused` files. `failed` is the file of the test that failed, or an empty text where none did by itself; a run that takes too long
 * is ended, and has none.
 */
export async function runTests(folder, project, which, excused = []) {
  const report = path.join(folder, '.cache', 'tests.json');
  rmSync(report, { force: true });
  const [command, ...targets] = which;
  const output = ['--reporter=json', `--outputFile=${report}`];
  const left = excused.map((file) => `--exclude=${file}`);
  const flags = [...left, '--run', '--bail=1', '--passWithNoTests', '--project', project, ...output];
  const { status, isEndless } = await runNode(folder, [
    'node_modules/vitest/vitest.mjs',
    command,
    ...targets,
    ...flags,
  ]);
  if (status === 0 || isEndless) return { failed: undefined, isEndless };
  return { failed: firstFailed(report, folder), isEndless };
}

function firstFailed(report, folder) {
  if (!existsSync(report)) return '';
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.find(({ status }) => status === 'failed');
  return failed === undefined ? '' : path.relative(folder, failed.name);
}

/** Runs Node with these arguments in the folder, for a bounded time. */
export function runNode(folder, args) {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore', detached: true });
  let isEndless = false;
  const timer = setTimeout(() => {
    isEndless = true;
    process.kill(-child.pid, 'SIGKILL');
  }, longestMs);
  return new Promise((resolve) => {
    child.on('exit', (status) => {
      clearTimeout(timer);
      resolve({ status: status ?? 1, isEndless });
    });
  });
}
