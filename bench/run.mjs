// Prints the figures of docs/project/performance.md: `run.mjs [NUMBER…]`, each a ratio within this run, with peak memory.
import '../scripts/tools/own-node.mjs';
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(process.execPath, ['--expose-gc', 'bench/main.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 70;
