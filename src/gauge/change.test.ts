import { describe, expect, test } from 'vitest';
import { changesBetween } from './change.ts';
import type { GaugeAnswer } from './gauge-case.ts';
import type { ProofResult } from './prove.ts';

const answer: GaugeAnswer = { status: 0, opener: 0, ending: 'end', details: '', chain: 'a', route: '', cluster: '' };

/** What one Envoy did with one thing that came to it. */
function resultOf(seen: GaugeAnswer): ProofResult {
  const workload = { namespace: 'shop', name: 'cart' };
  return { proofs: [{ workload, seen, differences: [] }] } as unknown as ProofResult;
}

const changed = (before: Partial<GaugeAnswer>, after: Partial<GaugeAnswer>): number =>
  changesBetween(resultOf({ ...answer, ...before }), resultOf({ ...answer, ...after })).length;

describe('changesBetween', () => {
  test.each([
    ['bytes', 'end'],
    ['no answer', 'reset'],
    ['ECONNREFUSED', 'end'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'end'],
    [undefined, 'end'],
  ])('tells two Envoys apart that ended a connection as %s and as %s', (before, after) => {
    expect([
      changed({ ending: before as string }, { ending: after }),
      changed({ ending: after }, { ending: before as string }),
    ]).toEqual([1, 1]);
  });

  test.each([
    ['end', 'reset'],
    ['EPIPE', 'reset'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'end'],
  ])('leaves out what time decides: %s and %s', (before, after) => {
    expect(changed({ ending: before, opener: 1 }, { ending: after, opener: 2 })).toBe(0);
  });

  test('tells them apart by a header that the application saw', () => {
    expect(changed({ saw: { 'x-a': '1' } }, { saw: { 'x-a': '2' } })).toBe(1);
    expect(changed({ saw: { 'x-a': '1', 'x-b': '2' } }, { saw: { 'x-b': '2', 'x-a': '1' } })).toBe(0);
  });
});
