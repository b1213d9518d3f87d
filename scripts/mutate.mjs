// Changes the product's source in small ways, one at a time, and tells which changes no test notices. Part of `make soak`.
//   node scripts/mutate.mjs [--count N] [--from N] [--seed N] [--only PATH[:LINE]] [--end-to-end]
// Works in a copy of the checkout, so that the checkout stays as it is. The changes of a seed have an order: `--from 40`
// goes on after `--count 40`. A change that the unit tests miss is tried with the end-to-end tests too, with --end-to-end.
// Each change has a line: the outcome, the place, the change, and what noticed it or why it harms nobody. The last line
// has the score and the seed.
import './tools/own-node.mjs';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { copyCheckout } from './mutate/copy-checkout.mjs';
import { equivalents } from './mutate/equivalents.mjs';
import { findMutants } from './mutate/find-mutants.mjs';
import { nearestTests } from './mutate/nearest-tests.mjs';
import { sample } from './mutate/sample.mjs';
import { runNode, runTests } from './mutate/test-run.mjs';

const root = path.resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Math.trunc(Math.random() * 2 ** 31)) },
    only: { type: 'string', default: 'src' },
    'end-to-end': { type: 'boolean', default: false },
  },
});
const [only, line] = options.only.split(':');

const copy = copyCheckout(root);
const counts = { noticed: 0, missed: 0, harmless: 0 };
try {
  // What goes on after an earlier run relies on what that one found.
  const tests = line === undefined ? ['run', 'src'] : ['related', only];
  const fault = options.from === '0' ? await unitFault(tests) : undefined;
  if (fault !== undefined)
    throw new Error(`the tests fail without any change, so that nothing can be learned: ${fault}`);
  const all = productFiles()
    .flatMap(mutantsOf)
    .filter((mutant) => line === undefined || mutant.line === Number(line));
  for (const mutant of sample(all, Number(options.from), Number(options.count), Number(options.seed))) {
    const [outcome, why] = await tryMutant(mutant);
    counts[outcome] += 1;
    console.log([outcome, `${mutant.file}:${mutant.line}`, `${mutant.before} → ${mutant.after}`, why].join('\t'));
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const tried = counts.noticed + counts.missed;
const score = tried === 0 ? 100 : (100 * counts.noticed) / tried;
console.log(`mutants: ${counts.noticed} of ${tried} noticed, ${score.toFixed(1)} %, seed ${options.seed}`);
process.exitCode = score < 97 ? 1 : 0;

/** What ships: no tests and what they share, nothing generated. */
function productFiles() {
  const found = statSync(path.join(root, only)).isFile()
    ? [only]
    : readdirSync(path.join(root, only), { recursive: true, encoding: 'utf8' }).map((file) => path.join(only, file));
  return found
    .filter((file) => /\.ts$/.test(file) && !/\.(test|e2e)\.ts$|\/(testing|testbed|generated|lab|corpus)\//.test(file))
    .sort();
}

function mutantsOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  return findMutants(file, text).map((mutant) => ({ ...mutant, file, text }));
}

/** The outcome, and what noticed the change or why it harms nobody. */
async function tryMutant(mutant) {
  const { file, text, start, end, after } = mutant;
  const harmless = equivalents.find((known) => isKnown(known, mutant));
  if (harmless !== undefined) return ['harmless', harmless.reason];
  const place = path.join(copy, file);
  writeFileSync(place, text.slice(0, start) + after + text.slice(end));
  try {
    const noticedBy = (await unitFault(['related', file])) ?? (await endToEndFault(place, text, file));
    return noticedBy === undefined ? ['missed', ''] : ['noticed', noticedBy];
  } finally {
    writeFileSync(place, text);
  }
}

function isKnown(known, { file, text, line, before, after }) {
  const isPlace = known.file === file && text.split('\n')[line - 1].includes(known.at);
  return isPlace && known.before === before && known.after === after;
}

/** A run without an end is a fault that the change made. */
async function unitFault(which) {
  const { failed, isEndless } = await runTests(copy, 'unit', which);
  if (isEndless) return 'a run without an end';
  return failed === '' ? 'a run as a whole' : failed;
}

/**
 * The end-to-end test that fails with the change, passes without it, and fails with it again: such tests compute and wait
 * much, and a busy machine alone may fail them. The nearest come first; those that a bound of time leaves out are not tried.
 */
async function endToEndFault(place, text, file) {
  if (!options['end-to-end']) return undefined;
  const changed = readFileSync(place, 'utf8');
  const by = async (source, which, excused) => {
    writeFileSync(place, source);
    if (!(await isBuilt())) return 'the build';
    return (await runTests(copy, 'e2e*', which, excused)).failed;
  };
  const excused = [];
  for (const which of [
    ['run', ...nearestTests(copy, file)],
    ['related', file],
  ].filter(({ length }) => length > 1)) {
    let failed = await by(changed, which, excused);
    while (failed !== undefined) {
      if (failed === 'the build') return failed;
      const again = failed === '' ? which : ['run', failed];
      const isByChange = (await by(text, again, [])) === undefined && (await by(changed, again, [])) !== undefined;
      if (isByChange) return failed === '' ? 'a run as a whole' : failed;
      if (failed === '') break;
      excused.push(failed);
      failed = await by(changed, which, excused);
    }
  }
  return undefined;
}

async function isBuilt() {
  return (await runNode(copy, ['scripts/build.mjs'])).status === 0;
}
