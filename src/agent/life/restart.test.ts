import { describe, expect, test } from 'vitest';
import { isRestarted, RestartBackoff } from './restart.ts';

describe('isRestarted', () => {
  test.each([
    ['never', true, false],
    ['on-failure', true, true],
    ['always', true, true],
    ['on-failure', false, false],
    ['always', false, false],
  ] as const)('with %s and ready before: %s, says %s', (policy, wasEverReady, expected) => {
    expect(isRestarted(policy, wasEverReady)).toBe(expected);
  });
});

describe('RestartBackoff', () => {
  test('doubles up to half a minute, and begins anew after an Envoy that lived for a minute', () => {
    const backoff = new RestartBackoff(() => 0.5);
    const delays = Array.from({ length: 10 }, () => backoff.next(59_999));
    expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(backoff.next(60_000)).toBe(250);
    expect(backoff.next(0)).toBe(500);
  });

  test.each([
    [0, 200],
    [1, 300],
  ])('takes or adds a fifth by chance (%i)', (random, expected) => {
    expect(new RestartBackoff(() => random).next(0)).toBe(expected);
  });
});
