import { describe, expect, test } from 'vitest';
import { isBehind, layoutOf, positionText } from './position.ts';

const layout = layoutOf(['pods', 'services', 'policies']);
const textOf = (...changed: readonly number[]): string => positionText({ layout, changed, read: [] }) ?? '';

describe('isBehind', () => {
  test('is true only for a list of which less was read than its last change', () => {
    expect(isBehind({ layout, read: [900, 20, 800] }, textOf(900, 20, 0))).toBe(false);
    expect(isBehind({ layout, read: [900, 20, 800] }, textOf(899, 21, 0))).toBe(true);
    expect(isBehind({ layout, read: [0, 0, 0] }, textOf(0, 0, 1))).toBe(true);
    expect(isBehind({ layout, read: [0, 0, 0] }, textOf(0, 0, 0))).toBe(false);
    expect(isBehind({ layout, read: [2 ** 45, 0, 0] }, textOf(2 ** 45 + 1, 0, 0))).toBe(true);
  });

  test('is false where nothing can be compared', () => {
    expect(isBehind({ layout: layoutOf(['pods']), read: [0] }, textOf(1))).toBe(false);
    expect(isBehind({ layout, read: [0, 0, 0] }, textOf(1, 1))).toBe(false);
    for (const text of ['', layout, `${layout}.1.1.1.1`, `${layout}.-1.1.1`, `${layout}.1.1.${'z'.repeat(11)}`])
      expect(isBehind({ layout, read: [0, 0, 0] }, text), text).toBe(false);
    // A server whose revisions are no numbers.
    expect(isBehind({ layout, read: [Number.NaN, 0, 0] }, textOf(1, 0, 0))).toBe(false);
  });
});

describe('positionText', () => {
  test('is short, and absent where revisions are no numbers or the lists are too many', () => {
    expect(textOf(1_000_000, 0, 35)).toBe(`${layout}.lfls..z`);
    expect(positionText({ layout, changed: [Number.NaN], read: [] })).toBeUndefined();
    expect(positionText({ layout, changed: new Array(129).fill(1), read: [] })).toBeUndefined();
  });
});
