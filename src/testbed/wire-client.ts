import { text } from 'node:stream/consumers';
import type { WireAnswer } from './wire/answer.ts';
import { exchange, type WireRequest } from './wire/exchange.ts';

/** Raw requests as a program: a JSON list of {@link WireRequest} comes in, the list of their answers goes out. */
const requests = JSON.parse(await text(process.stdin)) as readonly WireRequest[];
const answers: WireAnswer[] = [];
const atOnce = 8;
for (let from = 0; from < requests.length; from += atOnce) {
  answers.push(...(await Promise.all(requests.slice(from, from + atOnce).map(exchange))));
}
process.stdout.write(JSON.stringify(answers));
