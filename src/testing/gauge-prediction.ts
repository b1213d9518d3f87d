import { everyWay, type Possibility } from '../access/evaluate/choices.ts';
import { inboundListener } from '../access/evaluate/find-listener.ts';
import { serve } from '../access/evaluate/serve.ts';
import type { Observer } from '../access/evaluate/surroundings.ts';
import type { TokenJudge } from '../access/evaluate/token-judge.ts';
import type { LiftedProxy } from '../access/lift-proxy.ts';
import type { Outcome, Passage } from '../access/outcome.ts';
import { differences } from '../gauge/differences.ts';
import type { GaugeAnswer, SentCase } from '../gauge/gauge-case.ts';

/** A workload of the gauge, as a prediction needs it. */
export interface PredictedWorkload {
  readonly role: 'sidecar' | 'gateway';
  readonly proxy: LiftedProxy;
}

export type Prediction = readonly Possibility<Passage>[];

/** What the evaluator says of a case; `opening` is what was sent first on its connection. */
export function predict(
  { proxy, role }: PredictedWorkload,
  { connection, request }: SentCase,
  opening: SentCase['request'],
  tokens: TokenJudge,
  observer?: Observer,
): Prediction {
  const listener =
    role === 'gateway' ? inboundListener(proxy, connection.destination) : proxy.listeners.get('virtualInbound');
  if (listener === undefined) return [{ result: { outcome: refusedConnection, steps: [] }, because: [] }];
  return everyWay((choose) =>
    serve(listener, connection, request, { routes: proxy.routes, tokens, choose, observer }, opening),
  );
}

const refusedConnection: Outcome = { kind: 'closed', exitCodes: [7], details: 'nothing listens there' };

/**
 * What the evaluator and Envoy see differently, in one line; undefined where they agree on outcome, reason and chain. Of what
 * is certain every outcome that the evaluator says is right: a set that is wide enough is never wrong.
 */
export function mismatch(prediction: Prediction, answer: GaugeAnswer, isCertain = false): string | undefined {
  const isMet = ({ result }: Possibility<Passage>): boolean => differences(result, answer).length === 0;
  if (prediction.some(isMet) && (!isCertain || prediction.every(isMet))) return undefined;
  const told = prediction.map(({ result, because }) => ({
    ...result.outcome,
    because,
    differs: differences(result, answer),
  }));
  return `predicted ${JSON.stringify(told)}, Envoy: ${JSON.stringify(answer)}`;
}
