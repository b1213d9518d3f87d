// Changes the product's source in small ways, one at a time, and tells which changes no test notices. Part of `make soak`.
//   node scripts/mutate.mjs [--count N] [--seed N] [--only PATH] [--end-to-end]
// Works in a copy of the checkout, so that the checkout stays as it is. A change that a unit test misses is tried with the
// end-to-end tests of its room too, with --end-to-end. The last line has the score and the seed.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { equivalents } from './mutate/equivalents.mjs';
import { findMutants } from './mutate/find-mutants.mjs';

const root = path.resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.trunc(Math.random() * 2 ** 31)) },
    only: { type: 'string', default: 'src' },
    'end-to-end': { type: 'boolean', default: false },
  },
});

/** After which a run counts as one that a change made endless. */
const longestMs = 300_000;

const copy = makeCopy();
if (await fails(['--project', 'unit', 'run', 'src'])) {
  console.error('mutants: the tests fail without any change, so that nothing can be learned from them');
  rmSync(copy, { recursive: true, force: true });
  process.exit(2);
}
const counts = { noticed: 0, missed: 0, harmless: 0 };
try {
  for (const mutant of sample(productFiles().flatMap(mutantsOf), Number(options.count), Number(options.seed))) {
    const outcome = await tryMutant(mutant);
    counts[outcome] += 1;
    console.log(`${outcome}\t${mutant.file}:${mutant.line}\t${mutant.before} → ${mutant.after}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const tried = counts.noticed + counts.missed;
const score = tried === 0 ? 100 : (100 * counts.noticed) / tried;
console.log(`mutants: ${counts.noticed} of ${tried} noticed, ${score.toFixed(1)} %, seed ${options.seed}`);
process.exitCode = score < 97 ? 1 : 0;

/** The tracked files, with the packages and tools of this checkout. */
function makeCopy() {
  const folder = mkdtempSync(path.join(tmpdir(), 'mutate-'));
  const skipped = new Set(['.git', '.tools', 'node_modules', '.cache', 'coverage']);
  for (const name of readdirSync(root)) {
    if (!skipped.has(name)) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  for (const name of ['.tools', 'node_modules']) symlinkSync(path.join(root, name), path.join(folder, name));
  mkdirSync(path.join(folder, '.cache'));
  return folder;
}

/** What ships: no tests and what they share, nothing generated. */
function productFiles() {
  return readdirSync(path.join(root, options.only), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(options.only, file))
    .filter((file) => /\.ts$/.test(file) && !/\.(test|e2e)\.ts$|\/(testing|testbed|generated|lab|corpus)\//.test(file))
    .sort();
}

function mutantsOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  return findMutants(file, text).map((mutant) => ({ ...mutant, file, text }));
}

/** `count` of the list, the same ones for the same seed. */
function sample(all, count, seed) {
  const random = mulberry32(seed);
  const rest = [...all];
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    const [taken] = rest.splice(Math.floor(random() * rest.length), 1);
    return taken;
  });
}

/** Numbers in [0, 1) that look random, of one 32-bit state. */
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function tryMutant(mutant) {
  const { file, text, start, end, before, after } = mutant;
  if (equivalents.some((known) => known.file === file && known.before === before && known.after === after)) {
    return 'harmless';
  }
  writeFileSync(path.join(copy, file), text.slice(0, start) + after + text.slice(end));
  try {
    const isNoticed = (await fails(['--project', 'unit', 'related', file])) || (await isNoticedEndToEnd(file));
    return isNoticed ? 'noticed' : 'missed';
  } finally {
    writeFileSync(path.join(copy, file), text);
  }
}

async function isNoticedEndToEnd(file) {
  if (!options['end-to-end']) return false;
  if ((await runNode(['scripts/build.mjs'])) !== 0) return true;
  return (
    (await fails(['--project', 'e2e*', 'related', file])) || fails(['--project', 'e2e*', 'run', path.dirname(file)])
  );
}

async function fails([flag, project, command, target]) {
  const vitest = 'node_modules/vitest/vitest.mjs';
  const status = await runNode([vitest, command, target, '--run', '--bail=1', '--passWithNoTests', flag, project]);
  return status !== 0;
}

/** The exit code of Node with these arguments in the copy; a run that takes too long counts as failed. */
function runNode(args) {
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', detached: true });
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), longestMs);
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(code ?? 1);
    });
  });
}
