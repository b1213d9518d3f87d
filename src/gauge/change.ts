import { keyOf } from '../access/world.ts';
import { compareStrings } from '../lib/sort.ts';
import type { GaugeAnswer } from './gauge-case.ts';
import type { Proof, ProofResult } from './prove.ts';

/** What two Envoys did with the same thing that came to one proxy. */
export interface Change {
  readonly proof: Omit<Proof, 'seen' | 'differences' | 'predicted'>;
  readonly before: GaugeAnswer;
  readonly after: GaugeAnswer;
}

/** What a second Envoy did in another way than the first one, with the same requests. */
export function changesBetween(first: ProofResult, second: ProofResult): readonly Change[] {
  return first.proofs.flatMap(({ seen: before, differences: _differences, predicted: _predicted, ...proof }, i) => {
    const after = second.proofs[i]?.seen;
    if (after === undefined) throw new Error(`no second answer of ${keyOf(proof.workload)}`);
    return factsOf(before) === factsOf(after) ? [] : [{ proof, before, after }];
  });
}

/** All that does not depend on the order or the time of the run. */
function factsOf({ opener: _opener, ending, saw, ...facts }: GaugeAnswer): string {
  const all = { ...facts, ending: ending === undefined ? undefined : endingApartFromTime(ending) };
  const seen = saw && Object.entries(saw).sort(([a], [b]) => compareStrings(a, b));
  return JSON.stringify([Object.entries(all).sort(([a], [b]) => compareStrings(a, b)), seen]);
}

/** Time decides whether a client meets the end of a connection, its reset, or the alert before it. */
function endingApartFromTime(ending: string): string {
  return /^(?:end|reset|EPIPE|ERR_SSL_.*ALERT.*)$/.test(ending) ? 'closed' : ending;
}
