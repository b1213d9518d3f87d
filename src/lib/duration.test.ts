import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { formatDuration, parseDuration } from './duration.ts';

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['300ms', 300],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['-2s', -2000],
    ['24h0m0s', 86_400_000],
  ])('reads %s', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  test.each(['', '5', 's', '1 s', '1d', '1s2', 'PT1S'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test('reads back what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
      runs(),
    );
  });
});
