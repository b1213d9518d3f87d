import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { travel } from '../../access/evaluate/travel.ts';
import type { Outcome } from '../../access/outcome.ts';
import type { HttpRequest } from '../../access/request.ts';
import type { World } from '../../access/world.ts';
import { type InboundGates, startInboundGates } from '../../compiler/lower/testing/inbound-gate.ts';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { Dice } from '../../testing/dice.ts';
import { seeds } from '../../testing/effort.ts';
import { httpbinMesh } from '../../testing/mesh-texts.ts';
import { askedHeaders, type RawRequest, rawRequest } from '../../testing/raw-request.ts';

const silenceMs = 3_000;

const rulesOf = (name: string): string =>
  [
    ['has', 'values: ["*"]'],
    ['is', 'values: ["a*"]'],
    ['not', 'notValues: [a]'],
  ]
    .map(([path, values]) => {
      const when = `{key: "request.headers[${name}]", ${values}}`;
      return `  - {to: [{operation: {paths: ["/${path}/${name}"]}}], when: [${when}]}\n`;
    })
    .join('');
const policy = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: headers, namespace: a}
spec:
  action: DENY
  rules:
${askedHeaders.map(rulesOf).join('')}`;

let gates: InboundGates;
let world: World;

beforeAll(async () => {
  gates = await startInboundGates({ all: policy });
  world = compiledWorld([`${httpbinMesh}---\n${policy}`]);
});
afterAll(() => gates?.close());

test('requests of odd bytes get the verdicts from a sidecar that are predicted', async () => {
  for (const seed of seeds(1)) {
    const dice = new Dice(seed);
    const requests = Array.from({ length: 400 }, () => rawRequest(dice));
    const predictions = requests.map(({ request }) => predict(request));
    const answers = await inTurns(requests, 16);
    const tried = requests.flatMap(({ bytes }, i) => {
      const predicted = predictions[i] ?? '';
      return predicted === 'unknown' ? [] : [{ bytes, predicted, seen: answers[i] }];
    });
    expect(tried.filter(({ predicted, seen }) => predicted !== seen).slice(0, 3), `seed ${seed}`).toEqual([]);
    const verdicts = new Set(tried.map(({ predicted }) => predicted));
    expect([...verdicts].sort()).toEqual(expect.arrayContaining(['200', '400', '403', 'reaches']));
    expect(tried.length, `known of seed ${seed}`).toBeGreaterThan(300);
  }
});

function predict(request: HttpRequest): string {
  const from = { kind: 'outside', address: '192.0.2.1' } as const;
  const access = { from, to: { address: '10.1.0.9', port: 8080 }, protocol: 'http/1.1', request } as const;
  const [way] = travel(world, access, { now: 0 });
  return way === undefined ? 'none' : textOf(way.outcome);
}

function textOf(outcome: Outcome): string {
  if (outcome.kind === 'answered') return String(outcome.status);
  return outcome.kind === 'unmodelled' ? 'unknown' : outcome.kind;
}

/** So many at a time. */
async function inTurns(requests: readonly RawRequest[], lanes: number): Promise<readonly string[]> {
  const answers: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < requests.length) {
      const i = next++;
      answers[i] = await ask(gates.connect('all'), requests[i]?.bytes ?? '');
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return answers;
}

/** Envoy tells how long the application took, but for an upgrade; an own answer with 200 is one of gRPC. */
function isOfApplication(head: string, status = ''): boolean {
  return /\r\nx-envoy-upstream-service-time:/i.test(head) || (status === '200' && !/\r\ngrpc-status:/i.test(head));
}

/** The status of an answer, or that the application has given one. */
function ask(socket: Socket, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const end = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding('latin1');
    socket.setTimeout(silenceMs, () => end('silence'));
    socket.on('data', (chunk) => {
      received += chunk;
      const head = /^(?:HTTP\/1\.1 100 .*?\r\n\r\n)?(HTTP\/1\.1 (?!100)(\d{3}).*?\r\n)\r\n/s.exec(received);
      if (head !== null) end(isOfApplication(head[1] ?? '', head[2]) ? 'reaches' : (head[2] ?? ''));
    });
    socket.on('error', () => end('closed'));
    socket.on('close', () => end('closed'));
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}
