// Predicts the cases of a recording of the gauge, and prints how many predictions differ from what Envoy did.
//   node scripts/access-faults/replay.mjs RECORDING
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { liftProxy } from '../../src/access/lift-proxy.ts';
import { Signatures } from '../../src/access/signatures.ts';
import { mismatch, predict } from '../../src/testing/gauge-prediction.ts';

const { now, workloads, cases, answers } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const meshes = workloads.map(({ role, config }) => ({ role, proxy: liftProxy(config) }));
const signatures = new Signatures();
const proxies = meshes.map(({ proxy }) => new Map([['', proxy]]));
for (const { mesh, sent } of cases) {
  if (sent.request !== undefined) await signatures.learn(proxies[mesh], sent.request);
}
const wrong = cases.filter(({ mesh, sent, isCertain }, i) => {
  const opening = cases[answers[i].opener].sent.request;
  const prediction = predict(meshes[mesh], sent, opening, { now, signatures });
  return mismatch(prediction, answers[i], isCertain) !== undefined;
});
console.log(wrong.length);
