// Plants faults in the compiler, one at a time, where it merges and lowers policies, and tells which of them the comparison
// with a plain reading of the policies notices (`src/access/policy-oracle.test.ts`).
//   node scripts/policy-faults.mjs [--seed N] [--only TEXT]
// Works in a copy of the checkout. Each fault has a line: the number of differing decisions in the first mesh with any, and
// the fault. The last line has the score and the seed.
import './tools/own-node.mjs';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { copyCheckout } from './mutate/copy-checkout.mjs';
import { withFault } from './mutate/plant-fault.mjs';
import { faults } from './policy-faults/faults.mjs';

const root = path.resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(1 + Math.trunc(Math.random() * 2 ** 31)) },
    only: { type: 'string', default: '' },
  },
});
const copy = copyCheckout(root);
try {
  const found = differences();
  if (found !== 0) throw new Error(`${found} decisions differ without any fault, so that nothing can be learned`);
  const chosen = faults.filter(({ file, what }) => `${file} ${what}`.includes(options.only));
  let noticed = 0;
  for (const { file, before, after, what } of chosen) {
    const count = withFault(path.join(copy, 'src/compiler', file), before, after, differences);
    if (count !== 0) noticed++;
    console.log(`${count === 0 ? 'missed' : 'noticed'}\t${count}\t${what}\t${file}`);
  }
  console.log(`faults: ${noticed} of ${chosen.length} noticed, seed ${options.seed}`);
  process.exitCode = noticed < 0.95 * chosen.length ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function differences() {
  const compare = path.join(copy, 'scripts/policy-faults/compare.mjs');
  const how = { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] };
  return Number(execFileSync(process.execPath, [compare, options.seed], how).trim());
}
