import { expect, test } from 'vitest';
import { CallerLimits } from './rate-limit.ts';

test('CallerLimits lets a burst through, then the rate, for each caller alone', () => {
  let nowMs = 0;
  const limits = new CallerLimits({ requestsPerSecond: 2, burst: 3 }, () => nowMs);
  const taken = (caller: string, count: number): number =>
    Array.from({ length: count }, () => limits.take(caller)).filter(Boolean).length;
  expect([taken('a', 10), taken('b', 10)]).toEqual([3, 3]);
  nowMs = 999;
  expect(taken('a', 10)).toBe(1);
  nowMs = 1_000_000;
  expect(taken('a', 10)).toBe(3);
});

test('CallerLimits works while the clock stands still, and with many callers', () => {
  let nowMs = 0;
  const limits = new CallerLimits({ requestsPerSecond: 1000, burst: 1 }, () => nowMs);
  for (let i = 0; i < 1000; i++) expect(limits.take(`caller ${i}`)).toBe(true);
  expect(limits.take('caller 0')).toBe(false);
  nowMs = 1;
  expect(limits.take('caller 0')).toBe(true);
});

test('CallerLimits forgets callers whose bucket is full again, and no others', () => {
  let nowMs = 0;
  const limits = new CallerLimits({ requestsPerSecond: 1, burst: 3 }, () => nowMs);
  limits.take('early');
  nowMs = 2900;
  expect([1, 2, 3, 4].map(() => limits.take('late'))).toEqual([true, true, true, false]);
  nowMs = 3000;
  expect(limits.take('late')).toBe(false);
  expect(limits.remembered).toEqual(['late']);
  nowMs = 5999;
  expect(limits.take('third')).toBe(true);
  expect(limits.remembered).toEqual(['late', 'third']);
  nowMs = 6000;
  limits.take('third');
  expect(limits.remembered).toEqual(['third']);
});

test('CallerLimits lets 32 requests of one caller be in progress, whatever the rate', () => {
  const limits = new CallerLimits({ requestsPerSecond: 1, burst: 1 }, () => 0);
  const entered = Array.from({ length: 33 }, () => limits.enter('a'));
  expect([entered.filter(Boolean).length, entered.at(-1), limits.enter('b')]).toEqual([32, false, true]);
  limits.leave('a');
  expect([limits.enter('a'), limits.enter('a')]).toEqual([true, false]);
});
