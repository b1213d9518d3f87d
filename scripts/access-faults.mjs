// Plants faults in the predictions, one at a time, and tells which of them the slice of the gauge in `make test` notices.
//   node scripts/access-faults.mjs [--recording FILE] [--only TEXT]
// Runs the gauge once with the real Envoy, and then predicts the recorded cases again with each fault, in a copy of the
// checkout. Each fault has a line: the number of predictions that differ, and the fault. The last line has the score.
import './tools/own-node.mjs';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { faults as blindFaults } from './access-faults/blind-faults.mjs';
import { faults } from './access-faults/faults.mjs';
import { copyCheckout } from './mutate/copy-checkout.mjs';
import { withFault } from './mutate/plant-fault.mjs';

const root = path.resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: { recording: { type: 'string' }, only: { type: 'string', default: '' } },
});
const folder = mkdtempSync(path.join(tmpdir(), 'access-faults-'));
const recording = options.recording ?? recordIn(folder);
const copy = copyCheckout(root);
try {
  const found = mismatches();
  if (found !== 0) throw new Error(`${found} predictions differ without any fault, so that nothing can be learned`);
  const all = [...faults, ...blindFaults];
  const chosen = all.filter(({ file, what }) => `${file} ${what}`.includes(options.only));
  if (chosen.length === 0) throw new Error(`no fault has "${options.only}" in its file or its words`);
  let noticed = 0;
  for (const { file, before, after, what } of chosen) {
    const count = withFault(path.join(copy, 'src/access', file), before, after, mismatches);
    if (count !== 0) noticed++;
    console.log(`${count === 0 ? 'missed' : 'noticed'}\t${count}\t${what}\t${file}`);
  }
  console.log(`faults: ${noticed} of ${chosen.length} noticed`);
  process.exitCode = noticed * 60 < 58 * chosen.length ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

function recordIn(folder) {
  const file = path.join(folder, 'recording.json');
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const argv = [vitest, 'run', 'src/testbed/gauge/gauge.e2e.ts', '-t', 'generated servers and gateways'];
  execFileSync(process.execPath, argv, { cwd: root, stdio: 'inherit', env: { ...process.env, GAUGE_RECORDING: file } });
  return file;
}

function mismatches() {
  const replay = path.join(copy, 'scripts/access-faults/replay.mjs');
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] };
  return Number(execFileSync(process.execPath, [replay, recording], options).trim());
}
