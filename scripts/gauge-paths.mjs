// Sends generated requests along whole paths of generated meshes, through sidecars of clients, gateways and servers, with
// `meshpol prove`, and compares what each proxy does on a real Envoy with its prediction. Each request has connections of its own.
//   node scripts/gauge-paths.mjs [--seed N] [--cases N] [--minutes N] [--out FILE]
// The keys of tokens are new in each run, and so are the meshes in which they stand. Each mesh has a line with the counts so far. FILE gets the counts as JSON, and FILE.differences each request that is not as
// predicted, with its mesh. Ends with 1 if there was one.
import './tools/own-node.mjs';
import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { processIo } from '../src/cli/io.ts';
import { run } from '../src/cli/testing/run-meshpol.ts';
import { Dice } from '../src/testing/dice.ts';
import { generatedPathMesh } from '../src/testing/generated-paths.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(1 + Math.trunc(Math.random() * 2 ** 31)) },
    cases: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '600' },
    out: { type: 'string' },
  },
});
// A signal ends the Envoys, too.
const { untilStopped } = processIo();
const environment = { ENVOY_BINARY: path.resolve(import.meta.dirname, '../.tools/bin/envoy') };
const eachMesh = 400;
const seed = Number(options.seed);
const deadline = Date.now() + Number(options.minutes) * 60_000;
const counts = { cases: 0, differences: 0, proxies: 0, ways: {}, answers: {} };
for (let round = 0; counts.cases < Number(options.cases) && Date.now() < deadline; round++) {
  const mesh = generatedPathMesh(new Dice(seed + round), [keySet('k0'), keySet('k1')]);
  const words = ['prove', '-', '--cases', String(eachMesh), '--seed', String(seed + round), '--format', 'json'];
  const { out, error } = await run(words, mesh, environment, { untilStopped });
  if (out === '') throw new Error(`seed ${seed + round}: ${error}\n${mesh}`);
  for (const one of JSON.parse(out).cases) count(one, mesh, seed + round);
  console.log(`seed ${seed}, mesh ${round}: ${counts.cases} requests, ${counts.differences} differences`);
  if (options.out !== undefined) writeFileSync(options.out, JSON.stringify({ seed, ...counts }, undefined, 2));
}
if (options.out === undefined) console.log(JSON.stringify(counts, undefined, 2));
process.exitCode = counts.cases > 0 && counts.differences === 0 ? 0 : 1;

function keySet(kid) {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' }] });
}

function count(one, mesh, from) {
  const { proxies } = one.results[0];
  counts.cases++;
  counts.proxies += proxies.length;
  const way = proxies.map(({ side }) => side).join(', ');
  counts.ways[way] = (counts.ways[way] ?? 0) + 1;
  for (const { side, seen } of proxies) {
    const answer = `${side}: ${seen.status} ${seen.details.replace(/[[{].*/, '')}`;
    counts.answers[answer] = (counts.answers[answer] ?? 0) + 1;
  }
  if (one.standing === 'as-predicted') return;
  counts.differences++;
  const text = `seed ${from}: ${JSON.stringify(one)}\n${mesh}\n`;
  if (options.out === undefined) console.log(text);
  else appendFileSync(`${options.out}.differences`, text);
}
