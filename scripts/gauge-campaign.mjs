// Sends generated requests to generated servers and gateways on real Envoys, round after round, and compares each answer with
// its prediction; one Envoy at a time.
//   node scripts/gauge-campaign.mjs [--seed N] [--cases N] [--minutes N] [--out FILE]
// Each round has a line with the counts so far. FILE gets the counts as JSON after each round, and FILE.differences each case
// that Envoy answered in another way, with its mesh. Ends with 1 if there was one.
import './tools/own-node.mjs';
import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Dice } from '../src/testing/dice.ts';
import { judgeRound, playRound } from '../src/testing/gauge-round.ts';
import { GaugeTally } from '../src/testing/gauge-tally.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(1 + Math.trunc(Math.random() * 2 ** 31)) },
    cases: { type: 'string', default: '300000' },
    minutes: { type: 'string', default: '600' },
    out: { type: 'string' },
  },
});
const seed = Number(options.seed);
const deadline = Date.now() + Number(options.minutes) * 60_000;
const tally = new GaugeTally();
for (let round = 0; tally.cases < Number(options.cases) && Date.now() < deadline; round++) {
  const played = await playRound(new Dice(seed + round), 60, 300);
  const differences = await judgeRound(played, tally);
  console.log(
    `seed ${seed}, round ${round}: ${tally.cases} cases, ${tally.alone} alone, ${tally.mismatches} differences`,
  );
  if (options.out === undefined) for (const text of differences) console.log(text);
  else {
    writeFileSync(
      options.out,
      JSON.stringify({ seed, rounds: round + 1, ...tally, observer: undefined }, undefined, 2),
    );
    for (const text of differences) appendFileSync(`${options.out}.differences`, `${seed + round}\n${text}\n`);
  }
}
if (options.out === undefined) console.log(tally.report());
process.exitCode = tally.cases > 0 && tally.mismatches === 0 ? 0 : 1;
