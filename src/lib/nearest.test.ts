import { describe, expect, test } from 'vitest';
import { nearest } from './nearest.ts';

describe('nearest', () => {
  test.each([
    ['retrys', ['retries', 'route'], 'retries'],
    ['mtsl', ['mtls', 'selector'], 'mtls'],
    ['STRIKT', ['STRICT', 'DISABLE'], 'STRICT'],
    ['spec', ['metadata'], undefined],
    ['xy', ['xz'], 'xz'],
    ['x', ['y'], undefined],
    ['X', ['x'], 'x'],
  ])('finds for %s among %j: %s', (text, candidates, expected) => {
    expect(nearest(text, candidates)).toBe(expected);
  });
});
