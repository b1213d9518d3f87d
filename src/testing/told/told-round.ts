import type { TokenJudge } from '../../access/evaluate/token-judge.ts';
import { Signatures } from '../../access/signatures.ts';
import type { GaugeAnswer, SentCase } from '../../gauge/gauge-case.ts';
import { gauge } from '../../testbed/gauge/gauge.ts';
import type { Dice } from '../dice.ts';
import { predict } from '../gauge-prediction.ts';
import { addressOf } from '../gauge-round.ts';
import { type GaugedMesh, generatedGatewayMesh, generatedMesh } from '../gauged-mesh.ts';
import { signTokens, type TokenBox } from '../generated-tokens.ts';
import { variedCases } from '../varied-cases.ts';
import { type Claim, claimsOf } from './claims.ts';
import { withoutIt } from './deletion.ts';
import { reasonOf, verdictOn } from './judge.ts';
import { asTold } from './told-request.ts';

/** What was tried of what `explain` says, and what of it does not hold. */
export class ToldTally {
  /** Rules and conditions that were taken out of their policies. */
  deleted = 0;
  /** Requests that were changed as told. */
  changed = 0;
  /** By what no client can change, how often that was asked. */
  readonly impossible: Record<string, number> = {};
  readonly failures: { readonly of: 'deleted' | 'changed' | 'place' | 'words'; readonly text: string }[] = [];

  countImpossible({ wants, has }: Claim): void {
    const what = `${wants}; the request has ${has}`.replaceAll(/"[^"]*"|spiffe:\S+|\d[\d./]*/g, '…');
    this.impossible[what] = (this.impossible[what] ?? 0) + 1;
  }
}

/** How much of one round is tried: workloads, requests to each, and claims of each kind at most. */
export interface ToldSize {
  readonly meshes: number;
  readonly requests: number;
  readonly claims: number;
}

interface Trial {
  readonly claim: Claim;
  readonly of: 'deleted' | 'changed';
  /** Index of the case as it was, and of the one that is to differ. */
  readonly before: number;
  readonly after: number;
}

/**
 * Takes rules and conditions that `explain` names for generated requests out of their policies, and changes requests as it
 * tells, and sends all to a real Envoy.
 */
export async function tryTold(dice: Dice, size: ToldSize, tally: ToldTally): Promise<void> {
  const box = await signTokens(dice, 60);
  const meshes: GaugedMesh[] = [];
  for (let i = 0; i < size.meshes; i++) {
    const make = i % 3 === 2 ? generatedGatewayMesh(dice, addressOf(i), box.keySets) : undefined;
    meshes.push(await (make ?? generatedMesh(dice, addressOf(i), box.keySets, 'wide')));
  }
  const variants: GaugedMesh[] = [];
  const cases: SentCase[] = [];
  const trials: Trial[] = [];
  const send = (sent: SentCase): number => cases.push({ ...sent, isAlone: true }) - 1;
  const tryChange = async (claim: Claim, before: number): Promise<void> => {
    const changed = await asTold(dice, claim, box);
    if (changed === undefined) tally.countImpossible(claim);
    else trials.push({ claim, of: 'changed', before, after: send(changed) });
  };
  for (const mesh of meshes) {
    const { found, again } = await claimsAt(dice, mesh, box, size, tally);
    for (const claim of found) {
      const before = send(claim.sent);
      if (claim.kind === 'short') await tryChange(claim, before);
      const variant = await withoutIt(claim, addressOf(meshes.length + variants.length));
      if (variant === undefined) {
        tally.failures.push({ of: 'words', text: `no part of ${claim.id} is "${claim.wants}"\n${mesh.policies}` });
        continue;
      }
      variants.push(variant);
      trials.push({ claim, of: 'deleted', before, after: send(sentTo(claim.sent, variant.address)) });
    }
    for (const claim of again) await tryChange(claim, send(claim.sent));
  }
  const answers = await gauge([...meshes, ...variants], cases);
  for (const trial of trials) judge(trial, cases, answers, tally);
}

function sentTo({ connection, ...rest }: SentCase, address: string): SentCase {
  return { ...rest, connection: { ...connection, destination: { ...connection.destination, address } } };
}

function judge(
  { claim, of, before, after }: Trial,
  cases: readonly SentCase[],
  answers: readonly GaugeAnswer[],
  tally: ToldTally,
): void {
  const [was, is] = [answers[before], answers[after]];
  if (was === undefined || is === undefined) throw new Error('a case has no answer');
  tally[of]++;
  if (verdictOn(claim, of, was, is)) return;
  const { kind, id, wants, has, sent, mesh } = claim;
  const told = [
    `${of}, ${kind} ${id}: ${wants}; the request has ${has}`,
    `sent:    ${JSON.stringify(sent)}`,
    `         ${reasonOf(was)}`,
    `then:    ${JSON.stringify(cases[after])}`,
    `         ${reasonOf(is)}`,
    mesh.policies,
  ];
  tally.failures.push({ of, text: told.join('\n') });
}

/** What is said of requests to a workload: of each rule and condition a few times, and what is only tried by changes. */
async function claimsAt(
  dice: Dice,
  mesh: GaugedMesh,
  { tokens }: TokenBox,
  size: ToldSize,
  tally: ToldTally,
): Promise<{ readonly found: readonly Claim[]; readonly again: readonly Claim[] }> {
  const signatures = new Signatures();
  const judgeOfTokens: TokenJudge = { now: Date.now() / 1000, signatures };
  const counts = new Map<string, number>();
  const found: Claim[] = [];
  const again: Claim[] = [];
  for (const sent of variedCases(dice, mesh, tokens, size.requests)) {
    if (sent.request !== undefined) await signatures.learn(new Map([['', mesh.proxy]]), sent.request);
    const prediction = predict(mesh, sent, sent.request, judgeOfTokens);
    const [only] = prediction;
    if (prediction.length !== 1 || only === undefined) continue;
    const { claims, misplaced } = claimsOf(mesh, sent, only);
    tally.failures.push(...misplaced.map((text) => ({ of: 'place' as const, text: `${text}\n${mesh.text}` })));
    for (const claim of claims) {
      const key = `${claim.kind} ${claim.id} ${claim.wants}`;
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      if (count < 2) found.push(claim);
      else if (claim.kind === 'short' && count < 8) again.push(claim);
    }
  }
  const most = Math.ceil(size.claims / size.meshes);
  const kinds = ['met', 'short', 'nearly'] as const;
  return {
    found: kinds.flatMap((kind) => found.filter((claim) => claim.kind === kind).slice(0, most)),
    again: again.slice(0, 4 * most),
  };
}
