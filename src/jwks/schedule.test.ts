import { describe, expect, test } from 'vitest';
import { nextLook, retryDelay } from './schedule.ts';

const refreshMs = 1_200_000;

describe('nextLook', () => {
  test.each([
    [0, true, 1_080_000, 1_320_000],
    [1, true, 30_000, 60_000],
    [2, true, 60_000, 120_000],
    [6, true, 600_000, 1_200_000],
    [5000, true, 600_000, 1_200_000],
    [1, false, 500, 1_000],
    [3, false, 2_000, 4_000],
    [6, false, 15_000, 30_000],
    [5000, false, 15_000, 30_000],
  ])('after %d failures, with keys %s, waits %d to %d ms', (failures, hasKeys, least, most) => {
    expect(nextLook({ failures, hasKeys }, refreshMs, 0)).toBeCloseTo(least);
    expect(nextLook({ failures, hasKeys }, refreshMs, 1)).toBeCloseTo(most);
  });
});

describe('retryDelay', () => {
  test('doubles, and leaves half to chance', () => {
    expect([1, 2, 3].map((retry) => [retryDelay(retry, 0), retryDelay(retry, 1)])).toEqual([
      [125, 250],
      [250, 500],
      [500, 1000],
    ]);
  });
});
