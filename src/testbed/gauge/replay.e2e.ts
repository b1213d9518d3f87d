import { describe, expect, test } from 'vitest';
import { LogReader } from '../../access/replay/known-formats.ts';
import { loggedRequest } from '../../access/replay/logged-request.ts';
import { Replayer } from '../../access/replay/replayer.ts';
import type { World } from '../../access/world.ts';
import type { GaugeAnswer, GaugeCase } from '../../gauge/gauge-case.ts';
import { Dice } from '../../testing/dice.ts';
import { isSoak, tries } from '../../testing/effort.ts';
import {
  compileGauged,
  type GaugedMesh,
  generatedCases,
  generatedMesh,
  peerAuthentication,
} from '../../testing/gauged-mesh.ts';
import { generatedAccess } from '../../testing/generated-access.ts';
import { signTokens } from '../../testing/generated-tokens.ts';
import { gaugeLogged } from './gauge.ts';

const meshCount = tries(8, 7.5);
const requestsEach = 60;
/** In `make soak` 100,800 requests in all, in rounds with a seed each; `REPLAY_ROUNDS` makes other numbers of them. */
const rounds = Number(process.env.REPLAY_ROUNDS ?? tries(1, 28));

describe('replay', () => {
  test(`of the log of ${rounds * meshCount * requestsEach} requests says what a second Envoy with the new policies does`, {
    timeout: rounds * 1_800_000,
  }, async () => {
    const seed = Number(process.env.REPLAY_SEED ?? 1 + Math.floor(Math.random() * 2 ** 31));
    const counts: Counts = { same: 0, changed: 0, 'may change': 0, miss: 0 };
    for (let round = 0; round < rounds; round++) {
      const wrong = await replayRound(new Dice(seed + round), counts);
      const told = `round ${round + 1} of ${rounds}, seed ${seed + round}: ${wrong.length} wrong; so far ${JSON.stringify(counts)}`;
      if (isSoak) process.stderr.write(`${told}\n`);
      expect(wrong.slice(0, 2), told).toEqual([]);
    }
    for (const kind of ['same', 'changed'] as const) expect(counts[kind], kind).toBeGreaterThan(0);
    // Of a few hundred lines the share varies with the policies that the dice make.
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (rounds > 1) expect(counts['may change'] / all, JSON.stringify(counts)).toBeLessThanOrEqual(0.1);
  });
});

type Counts = Record<'same' | 'changed' | 'may change' | 'miss', number>;

/** Counts what is said of the lines of one Envoy; gives a text about each that is wrong. */
async function replayRound(dice: Dice, counts: Counts): Promise<readonly string[]> {
  const { keySets, tokens } = await signTokens(dice, 60);
  // One change that many requests notice, whatever the dice say.
  const old = [await compileGauged('10.1.0.1', peerAuthentication('DISABLE'))];
  const next = [await compileGauged('10.1.0.1', `${peerAuthentication('DISABLE')}---\n${getsAlone}`)];
  for (let i = 1; i < meshCount; i++) {
    // Servers alone: at a gateway, two Envoys may choose differently between weighted routes, and throw other dice for faults.
    const mesh = await generatedMesh(dice, `10.1.${Math.floor(i / 250)}.${1 + (i % 250)}`, keySets);
    old.push(mesh);
    next.push(await changedMesh(dice, mesh));
  }
  const owned = old.flatMap((mesh, at) =>
    generatedCases(dice, mesh, tokens, requestsEach).map((sent) => ({ at, sent })),
  );
  const cases = owned.map(({ sent }, i) => withName(sent, i));
  const before = await gaugeLogged(old, cases);
  const after = await gaugeLogged(next, cases);
  const lines = before.log.split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThan(0);
  const reader = new LogReader({ accessLogFormat: '', accessLogEncoding: 'JSON' });
  const worlds = { old: old.map(worldOf), next: next.map(worldOf) };
  const none: ReadonlySet<string> = new Set();
  const replayers = worlds.old.map((world, i) => ({
    same: new Replayer({ before: world, after: world, unchanged: none }),
    changed: new Replayer({ before: world, after: worlds.next[i] ?? world, unchanged: none }),
  }));
  const wrong: string[] = [];
  for (const line of lines) {
    const read = reader.read(line);
    if ('fault' in read) throw new Error(`${read.fault}: ${line}`);
    const logged = loggedRequest(read.values);
    const name = /^case-(\d+)$/.exec(new Map(logged.headers).get('user-agent') ?? '')?.[1];
    const at = name === undefined ? undefined : Number(name);
    // The codec has refused what has no headers.
    if (at === undefined) continue;
    const own = replayers[owned[at]?.at ?? 0];
    const [self, other] = [own?.same.replay(logged), own?.changed.replay(logged)];
    if (self === undefined || other === undefined || 'unplaced' in self || 'unplaced' in other) {
      throw new Error(`not placed: ${line}`);
    }
    const verdict = other.verdict.kind;
    counts[verdict] += 1;
    const isChanged = answerOf(before.answers[at]) !== answerOf(after.answers[at]);
    const isWrong = verdict === 'miss' || (verdict === 'same' && isChanged) || (verdict === 'changed' && !isChanged);
    if (isWrong || !['same', 'may change'].includes(self.verdict.kind)) {
      const told = JSON.stringify([self.verdict.kind, other.verdict, before.answers[at], after.answers[at]]);
      wrong.push(`${JSON.stringify(cases[at])}\n${line}\n${told}\n${old[owned[at]?.at ?? 0]?.text}`);
    }
  }
  return wrong;
}

const getsAlone = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: gets, namespace: foo}
spec: {rules: [{to: [{operation: {methods: [GET]}}]}]}
`;

/** The same policies but for one kind of change. */
async function changedMesh(dice: Dice, mesh: GaugedMesh): Promise<GaugedMesh> {
  const { address, policies, settings } = mesh;
  const documents = policies.split(/^---\n/m);
  const isAccess = (text: string): boolean => text.includes('kind: AuthorizationPolicy');
  const others = documents.filter((text) => !isAccess(text));
  const own = documents.filter(isAccess);
  const changed = dice.pick([
    () => documents.map((text) => (text.includes('kind: PeerAuthentication') ? peerAuthentication('STRICT') : text)),
    () => [...others, ...own.slice(1)],
    () => [...others, ...own.slice(0, -1)],
    () => [...others, generatedAccess(dice)],
  ])();
  return compileGauged(address, changed.filter((text) => text.trim() !== '').join('---\n'), settings);
}

/** The log tells the case by the name of its client's program. */
function withName({ connection, request }: GaugeCase, i: number): GaugeCase {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== 'user-agent');
  return { connection, request: { ...request, headers: [...headers, ['user-agent', `case-${i}`]] } };
}

function worldOf({ mesh, proxy }: GaugedMesh): World {
  return { mesh, proxies: new Map([['foo/httpbin', proxy]]) };
}

function answerOf(answer: GaugeAnswer | undefined): string {
  const { status, details, cluster, grpcStatus } = answer ?? { status: 0, details: '', cluster: '' };
  return details === 'via_upstream' ? `reaches ${cluster}` : `${status} ${grpcStatus ?? ''}`;
}
