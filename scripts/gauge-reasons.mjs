// Tries what `meshpol explain` says of generated requests on real Envoys, round after round: each rule that decided is taken
// out of its policy, and so is each condition that a request is short of, and then Envoy has to answer differently; and each
// request that is one condition short of a rule is changed as told, and has to pass.
//   node scripts/gauge-reasons.mjs [--seed N] [--cases N] [--minutes N] [--out FILE]
// Each round has a line with the counts so far. FILE gets them as JSON, and FILE.failures each claim that does not hold, with
// its policies. Ends with 1 if fewer than 99 of 100 hold of either kind.
import './tools/own-node.mjs';
import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Dice } from '../src/testing/dice.ts';
import { ToldTally, tryTold } from '../src/testing/told/told-round.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(1 + Math.trunc(Math.random() * 2 ** 31)) },
    cases: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '60' },
    out: { type: 'string' },
  },
});
const seed = Number(options.seed);
const deadline = Date.now() + Number(options.minutes) * 60_000;
const tally = new ToldTally();
const isDone = () => Math.min(tally.deleted, tally.changed) >= Number(options.cases);
let told = 0;
for (let round = 0; !isDone() && Date.now() < deadline; round++) {
  await tryTold(new Dice(seed + round), { meshes: 12, requests: 150, claims: 60 }, tally);
  console.log(`seed ${seed}, round ${round}: ${summary()}`);
  for (const { text } of tally.failures.slice(told)) {
    if (options.out === undefined) console.log(text);
    else appendFileSync(`${options.out}.failures`, `seed ${seed + round}: ${text}\n\n`);
  }
  told = tally.failures.length;
  const { failures: _failures, ...counts } = tally;
  if (options.out !== undefined) writeFileSync(options.out, JSON.stringify({ seed, ...counts }, undefined, 2));
}
console.log(JSON.stringify(tally.impossible, undefined, 2));
process.exitCode =
  isDone() && share('deleted') >= 99 && share('changed') >= 99 && count('place') + count('words') === 0 ? 0 : 1;

function count(kind) {
  return tally.failures.filter(({ of }) => of === kind).length;
}

function share(kind) {
  return (100 * (tally[kind] - count(kind))) / tally[kind];
}

function summary() {
  const each = ['deleted', 'changed'].map((kind) => `${tally[kind]} ${kind}, ${share(kind).toFixed(2)} % hold`);
  return `${each.join('; ')}; ${count('place')} places, ${count('words')} words wrong`;
}
