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
  /** Every way that the request may take. */
  readonly ways: readonly ExplainedWay[];
  /** What is not as expected; empty: it has passed. */
  readonly mismatches: readonly string[];
}

export function hasPassed({ mismatches }: Pick<CaseResult, 'mismatches'>): boolean {
  return mismatches.length === 0;
}

/** `12 passed, 1 failed` */
export function countText(results: readonly CaseResult[]): string {
  const passed = results.filter(hasPassed).length;
  return `${passed} passed, ${results.length - passed} failed`;
}
