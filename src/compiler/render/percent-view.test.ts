import { expect, test } from 'vitest';
import { millionths } from './percent-view.ts';

test.each([
  [0, 0],
  [1e-9, 1],
  [0.00004, 1],
  [0.00016, 2],
  [12.5, 125_000],
  [100, 1_000_000],
])('%d percent are %d millionths, and none only of nothing', (percent, numerator) => {
  expect(millionths(percent)).toEqual({ numerator, denominator: 'MILLION' });
});
