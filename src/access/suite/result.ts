import type { ExplainedWay } from '../explanation.ts';
import type { Expected } from './judge.ts';

/** What became of one case. */
export interface CaseResult {
  readonly suite: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly expected: Expected;
  /** Every way that the request may take; empty for a case that has passed where no output shows it. */
  readonly ways: readonly ExplainedWay[];
  /** What is not as expected; empty: the prediction meets the expectation. */
  readonly mismatches: readonly string[];
  /** Absent where no Envoy was asked. */
  readonly proof?: EnvoyProof;
}

/** What a real Envoy did with the request of a case, beside what was predicted. */
export interface EnvoyProof {
  readonly standing: 'as-predicted' | 'not-as-predicted' | 'not-tried' | 'changed';
  /** Sentences about what was not as predicted, or not tried. */
  readonly faults: readonly string[];
  /** A line or more for each proxy, for people. */
  readonly text: string;
  /** For programs. */
  readonly details: object;
}

/** Whether the prediction meets the expectation, and Envoy, where it was asked, the prediction. */
export function hasPassed(result: Pick<CaseResult, 'mismatches' | 'proof'>): boolean {
  return faultsOf(result).length === 0;
}

/** Why a case has failed, a sentence each. */
export function faultsOf({ mismatches, proof }: Pick<CaseResult, 'mismatches' | 'proof'>): readonly string[] {
  return proof === undefined ? mismatches : [...mismatches, ...proof.faults];
}

/** `as predicted` */
export function standingText({ standing }: EnvoyProof): string {
  return standing.replaceAll('-', ' ');
}

/** `12 passed, 1 failed`, and where an Envoy was asked `; on Envoy: 12 as predicted, 0 not as predicted, 1 not tried`. */
export function countText(results: readonly CaseResult[]): string {
  const passed = results.filter(hasPassed).length;
  return `${passed} passed, ${results.length - passed} failed${proofCounts(results)}`;
}

function proofCounts(results: readonly CaseResult[]): string {
  const proofs = results.flatMap(({ proof }) => (proof === undefined ? [] : [proof]));
  if (proofs.length === 0) return '';
  const standings = ['as-predicted', 'not-as-predicted', 'not-tried'] as const;
  const counts = standings.map((standing) => {
    const own = proofs.filter((proof) => proof.standing === standing);
    return `${own.length} ${standing.replaceAll('-', ' ')}`;
  });
  return `; on Envoy: ${counts.join(', ')}`;
}
