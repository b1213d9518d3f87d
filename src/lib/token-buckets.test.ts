import { describe, expect, test } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

describe('TokenBuckets', () => {
  const taken = (rate: TokenBuckets, address: string, times: number, nowMs: number): number =>
    Array.from({ length: times }, () => rate.take(address, nowMs)).filter(Boolean).length;

  test('gives a key as many as the burst at once, the rate after that, and no more after a pause', () => {
    const rate = new TokenBuckets({ perSecond: 50, burst: 100 }, 4_096);
    expect(taken(rate, 'a', 150, 0)).toBe(100);
    expect(taken(rate, 'a', 150, 1_000)).toBe(50);
    expect(taken(rate, 'a', 150, 3_600_000)).toBe(100);
  });

  test('says when a key has its next token, which is there then', () => {
    const rate = new TokenBuckets({ perSecond: 0.5, burst: 2 });
    expect(rate.waitMs('a', 0)).toBe(0);
    taken(rate, 'a', 2, 0);
    expect([rate.waitMs('a', 0), rate.waitMs('a', 500), rate.waitMs('a', 2_000)]).toEqual([2_000, 1_500, 0]);
    expect(taken(rate, 'a', 2, 2_000)).toBe(1);
  });

  test('counts each key for itself', () => {
    const rate = new TokenBuckets({ perSecond: 50, burst: 100 }, 4_096);
    taken(rate, 'a', 150, 0);
    expect(taken(rate, 'b', 1, 0)).toBe(1);
  });

  test('forgets the key that was used longest ago, not the one in use', () => {
    const rate = new TokenBuckets({ perSecond: 50, burst: 100 }, 4_096);
    for (const address of ['old', 'busy']) taken(rate, address, 150, 0);
    for (let i = 0; i < 4_095; i++) {
      rate.take(`x${i}`, 0);
      rate.take('busy', 0);
    }
    expect([rate.take('busy', 0), rate.take('old', 0)]).toEqual([false, true]);
  });
});
