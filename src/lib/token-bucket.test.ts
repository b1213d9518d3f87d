import { expect, test } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

test('a bucket lends what it does not have, and says when that is filled up again', () => {
  const bucket = new TokenBucket({ perSecond: 50, burst: 100 });
  expect([bucket.spend(100, 0), bucket.spend(50, 0), bucket.isFull(2_999), bucket.isFull(3_000)]).toEqual([
    ...[0, 1_000, false, true],
  ]);
  expect([bucket.take(500), bucket.waitMs(500), bucket.take(1_020)]).toEqual([false, 520, true]);
});
