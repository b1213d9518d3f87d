import { describe, expect, test } from 'vitest';
import { OpenRate } from './open-rate.ts';

describe('OpenRate', () => {
  const taken = (rate: OpenRate, address: string, times: number, nowMs: number): number =>
    Array.from({ length: times }, () => rate.take(address, nowMs)).filter(Boolean).length;

  test('allows an address 100 at once, 50 a second after that, and no more after a pause', () => {
    const rate = new OpenRate();
    expect(taken(rate, 'a', 150, 0)).toBe(100);
    expect(taken(rate, 'a', 150, 1_000)).toBe(50);
    expect(taken(rate, 'a', 150, 3_600_000)).toBe(100);
  });

  test('counts each address for itself', () => {
    const rate = new OpenRate();
    taken(rate, 'a', 150, 0);
    expect(taken(rate, 'b', 1, 0)).toBe(1);
  });

  test('forgets the address that was used longest ago, not the one in use', () => {
    const rate = new OpenRate();
    for (const address of ['old', 'busy']) taken(rate, address, 150, 0);
    for (let i = 0; i < 4_095; i++) {
      rate.take(`x${i}`, 0);
      rate.take('busy', 0);
    }
    expect([rate.take('busy', 0), rate.take('old', 0)]).toEqual([false, true]);
  });
});
