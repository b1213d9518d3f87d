import { describe, expect, test } from 'vitest';
import { findRange } from './id-range.ts';

describe('findRange', () => {
  test.each([
    ['alice:100000:65536\n', { first: 100_000, count: 65_536 }],
    ['bob:100000:65536\n1000:200000:65536\n', { first: 200_000, count: 65_536 }],
    ['alice:100000:1\nalice:300000:65536\n', { first: 300_000, count: 65_536 }],
    ['alicex:100000:65536\n', undefined],
    ['', undefined],
  ])('takes the first range that reaches the proxy’s id: %j', (text, expected) => {
    expect(findRange(text, 'alice', 1000)).toEqual(expected);
  });
});
