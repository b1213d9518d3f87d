import type { TokenJudge } from '../access/evaluate/token-judge.ts';
import { Signatures } from '../access/signatures.ts';
import type { GaugeAnswer, SentCase } from '../gauge/gauge-case.ts';
import { gauge } from '../testbed/gauge/gauge.ts';
import type { Dice } from './dice.ts';
import { mismatch, predict } from './gauge-prediction.ts';
import type { GaugeTally } from './gauge-tally.ts';
import { type GaugedMesh, generatedGatewayMesh, generatedMesh } from './gauged-mesh.ts';
import { signTokens } from './generated-tokens.ts';
import { variedCases } from './varied-cases.ts';

/** A case, and the workload that it goes to. */
export interface OwnedCase {
  readonly mesh: GaugedMesh;
  readonly sent: SentCase;
  /** Every outcome of its prediction must be what Envoy does. */
  readonly isCertain?: true;
}

/** Cases of several workloads that one real Envoy has answered. */
export interface GaugeRound {
  readonly meshes: readonly GaugedMesh[];
  readonly owned: readonly OwnedCase[];
  readonly answers: readonly GaugeAnswer[];
}

/**
 * Servers and gateways in turn, with policies and requests by chance, on a real Envoy, together with cases of other
 * workloads. The workloads made here have the first `meshCount` addresses of `addressOf`.
 */
export async function playRound(
  dice: Dice,
  meshCount: number,
  casesEach: number,
  others: readonly OwnedCase[] = [],
): Promise<GaugeRound> {
  const { keySets, tokens } = await signTokens(dice, 120);
  const meshes: GaugedMesh[] = [];
  for (let i = 0; i < meshCount; i++) {
    const address = addressOf(i);
    meshes.push(
      await (i % 2 === 0
        ? generatedMesh(dice, address, keySets, 'wide')
        : generatedGatewayMesh(dice, address, keySets)),
    );
  }
  const varied = meshes.flatMap((mesh) => variedCases(dice, mesh, tokens, casesEach).map((sent) => ({ mesh, sent })));
  const owned = [...varied, ...others];
  meshes.push(...new Set(others.map(({ mesh }) => mesh)));
  const answers = await gauge(
    meshes,
    owned.map(({ sent }) => sent),
  );
  return { meshes, owned, answers };
}

/** At most 250: one byte of the address. */
export function addressOf(i: number): string {
  return `10.1.${Math.floor(i / 250)}.${1 + (i % 250)}`;
}

/** Predicts each case, counts it, and gives a text for each that Envoy answered in another way. */
export async function judgeRound(
  { meshes, owned, answers }: GaugeRound,
  tally: GaugeTally,
): Promise<readonly string[]> {
  const signatures = new Signatures();
  const proxies = new Map(meshes.map((mesh) => [mesh, new Map([['', mesh.proxy]])]));
  for (const { mesh, sent } of owned) {
    if (sent.request !== undefined) await signatures.learn(proxies.get(mesh) ?? new Map(), sent.request);
  }
  const judge: TokenJudge = { now: Date.now() / 1000, signatures };
  return owned.flatMap(({ mesh, sent, isCertain }, i) => {
    const answer = answers[i];
    const opening = owned[answer?.opener ?? i]?.sent;
    if (answer === undefined || opening === undefined) throw new Error('a case has no answer');
    const prediction = predict(mesh, sent, opening.request, judge, tally.observer);
    tally.count(sent, prediction, answer, mesh.proxy);
    const told = mismatch(prediction, answer, isCertain);
    if (told === undefined) return [];
    tally.mismatches++;
    return [`${JSON.stringify(sent)}: ${told}\n${mesh.text}`];
  });
}
