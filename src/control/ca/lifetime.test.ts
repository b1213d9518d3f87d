import { expect, test } from 'vitest';
import { lifetimeOf } from './lifetime.ts';

const day = 86_400_000;

test.each([
  [-(2n ** 63n), day],
  [-1n, day],
  [0n, day],
  [1n, 1000],
  [7_776_000n, 90 * day],
  [7_776_001n, undefined],
  [2n ** 62n, undefined],
  [2n ** 63n - 1n, undefined],
])('lifetimeOf gives for %s seconds %s ms', (seconds, expected) => {
  expect(lifetimeOf(seconds).lifetimeMs).toBe(expected);
});
