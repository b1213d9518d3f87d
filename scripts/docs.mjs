// Writes the generated documents, or with --check says which are stale.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  process.execPath,
  ['scripts/run-ts.mjs', 'scripts/docs/main.ts', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 70;
