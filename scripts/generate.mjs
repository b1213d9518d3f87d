// Runs every generator of scripts/generate/ whose inputs are newer than its outputs.
// A generator says what it reads and writes in its first lines: `// inputs: path …` and `// outputs: path …`.
import './tools/own-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'scripts/generate');
const isForced = process.argv.includes('--force');

for (const name of readdirSync(folder).sort()) {
  if (!name.endsWith('.mjs') || (!isForced && isFresh(join(folder, name)))) continue;
  const { status } = spawnSync(process.execPath, [join(folder, name)], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** False for a generator that does not say what it reads. */
function isFresh(script) {
  const text = readFileSync(script, 'utf8');
  const inputs = /^\/\/ inputs: (.*)$/m.exec(text)?.[1]?.split(' ');
  const outputs = /^\/\/ outputs: (.*)$/m.exec(text)?.[1]?.split(' ');
  if (inputs === undefined || outputs === undefined) return false;
  if (!outputs.every((path) => existsSync(join(root, path)))) return false;
  const newest = Math.max(changedAt(script), ...inputs.map((path) => changedAt(join(root, path))));
  return outputs.every((path) => changedAt(join(root, path)) >= newest);
}

/** Time of the last change, of a folder or of any file below it. */
function changedAt(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}
