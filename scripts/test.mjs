// Runs every test, those of units also on the oldest Node that runs them, and ends with the line `N passed, N failed, N skipped`; in CI (CI=true) a skip is a failure.
import './tools/own-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';

const runs = [
  { name: 'all', node: '.tools/bin/node', projects: ['unit', 'e2e*'] },
  { name: 'floor', node: '.tools/bin/node22', projects: ['unit'] },
];
const total = { passed: 0, failed: 0, skipped: 0 };

mkdirSync('.cache', { recursive: true });
for (const run of runs) {
  const report = `.cache/test-${run.name}.json`;
  rmSync(report, { force: true });
  const projects = run.projects.flatMap((project) => ['--project', project]);
  const { status } = spawnSync(
    run.node,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...projects,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { stdio: 'inherit', env: { NO_COLOR: '1', ...process.env } },
  );
  const counted = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  const failed = counted?.numFailedTests ?? 0;
  total.passed += counted?.numPassedTests ?? 0;
  total.skipped += (counted?.numPendingTests ?? 0) + (counted?.numTodoTests ?? 0);
  total.failed += status !== 0 && failed === 0 ? 1 : failed;
}

console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
const isSkipFatal = process.env.CI === 'true' && total.skipped > 0;
process.exitCode = total.failed > 0 || total.passed === 0 || isSkipFatal ? 1 : 0;
