// Gives each field of Envoy's configuration that predictions call inert another value, in a configuration that a real Envoy runs,
// and compares its answers with those of the unaltered one.
//   node scripts/gauge-inert.mjs [--seed N] [--requests N]
// Prints each field whose other value has changed an answer, or that was not tried because no configuration has its message; ends with 1 then.
import './tools/own-node.mjs';
import { parseArgs } from 'node:util';
import { Dice } from '../src/testing/dice.ts';
import { deciding } from '../src/testing/inert/alterations.ts';
import { inertFields, tryInert } from '../src/testing/inert/inert-round.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(1 + Math.trunc(Math.random() * 2 ** 31)) },
    requests: { type: 'string', default: '200' },
  },
});
const results = await tryInert(new Dice(Number(options.seed)), [...inertFields(), deciding], Number(options.requests));
const control = results.pop();
const changed = results.filter((result) => result.changed.length > 0);
const absent = results.filter(({ messages, reached }) => messages === 0 || reached === 0);
for (const { type, field, changed: requests } of changed) {
  console.log(`${type}.${field} changes ${requests.length} answers, the first of them: ${requests[0]}`);
}
for (const { type, field } of absent)
  console.log(`${type} of ${field} is in no configuration, or no application was reached`);
const fewest = Math.min(...results.map(({ requests }) => requests));
const reached = Math.min(...results.map((result) => result.reached));
console.log(
  `seed ${options.seed}: ${results.length} fields, ${fewest} requests each at least, ${reached} of which reach an application: ${changed.length} change an answer, ` +
    `${absent.length} not tried; a field that decides changes ${control.changed.length}`,
);
process.exitCode = changed.length + absent.length === 0 && control.changed.length > 0 ? 0 : 1;
