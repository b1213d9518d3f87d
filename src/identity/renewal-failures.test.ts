import { describe, expect, test } from 'vitest';
import { hourMs, keeperBench } from './testing/keeper-bench.ts';

describe('CertificateKeeper without an authority', () => {
  test('waits longer and longer, never more than 30 s, with ever other delays', async () => {
    const values = [0.1, 0.9, 0.3, 0.7];
    let i = 0;
    const one = keeperBench({ random: () => values[i++ % values.length] as number });
    one.refusal = 'soon';
    await one.clock.pass(600_000);
    const delays = one.attempts.slice(1).map((ms, n) => ms - (one.attempts[n] as number));
    for (const [n, delay] of delays.entries()) expect(delay).toBeLessThanOrEqual(Math.min(30_000, 200 * 2 ** n));
    expect(Math.max(...delays)).toBeGreaterThan(20_000);
    expect(one.keeper.problem).toBe('away');
    expect(one.counts.retried).toBeGreaterThan(3);
    // Attempts within 10 s are one request to whoever counts.
    expect(one.counts.requested).toBeGreaterThan(20);
    expect(one.counts.failed).toBe(one.counts.requested - 1);
    one.refusal = undefined;
    await one.clock.pass(30_000);
    expect(one.keeper.problem).toBeUndefined();
  });

  test('tries every 15 to 30 s with a refused credential, and uses the next valid one', async () => {
    const one = keeperBench();
    one.refusal = 'credential';
    await one.clock.pass(120_000);
    expect(one.attempts).toEqual([0, 22_500, 45_000, 67_500, 90_000, 112_500]);
    expect(one.counts).toEqual({ requested: 6, retried: 0, failed: 5, finished: 5 });
  });

  test('does not repeat a request that is refused for itself, and looks again at the check interval', async () => {
    const one = keeperBench();
    one.refusal = 'none';
    await one.clock.pass(299_000);
    expect(one.attempts).toEqual([0]);
    expect(one.troubles).toMatchObject([{ message: 'away' }]);
    await one.clock.pass(2_000);
    expect(one.attempts).toHaveLength(2);
  });

  test('waits a random time before the first attempt of each request when INITIAL_BACKOFF_MSEC is set', async () => {
    const one = keeperBench({ initialBackoffMs: 4_000 });
    await one.clock.pass(1_999);
    expect(one.attempts).toEqual([]);
    await one.clock.pass(1);
    expect(one.attempts).toEqual([2_000]);
  });
});

describe('CertificateKeeper when a renewal fails', () => {
  test('keeps the old certificate, logs failures at rising levels, and recovers', async () => {
    const one = keeperBench({ lifetimeMs: 10 * hourMs });
    await one.clock.pass(0);
    one.refusal = 'soon';
    await one.clock.pass(9.9 * hourMs);
    expect(one.snapshots).toHaveLength(1);
    expect(one.keeper.problem).toBeUndefined();
    const firsts = new Map(one.troubles.toReversed().map(({ gravity, atMs }) => [gravity, atMs / hourMs]));
    expect(firsts.get('info')).toBeCloseTo(5, 1);
    expect(firsts.get('warn')).toBeCloseTo(7.5, 1);
    expect(firsts.get('error')).toBeCloseTo(9, 1);
    const times = one.troubles.map(({ atMs }) => atMs);
    expect(one.troubles.length).toBeLessThan(4.9 * 60 + 5);
    expect(Math.min(...times.slice(1).map((ms, i) => ms - (times[i] as number)))).toBeGreaterThan(0);
    await one.clock.pass(0.2 * hourMs);
    expect(one.keeper.problem).toMatch(/^the certificate expired at .*: away$/);
    one.refusal = undefined;
    await one.clock.pass(30_000);
    expect(one.keeper.problem).toBeUndefined();
    expect(one.snapshots).toHaveLength(2);
  });

  test('logs an error before a certificate of 10 s expires, and retries quickly enough', async () => {
    const one = keeperBench({ lifetimeMs: 10_000 });
    await one.clock.pass(0);
    one.refusal = 'soon';
    await one.clock.pass(9_900);
    expect(one.troubles.map(({ gravity }) => gravity)).toContain('error');
    expect(Math.max(...one.deadlines.slice(1))).toBeLessThan(2_000);
    one.refusal = undefined;
    await one.clock.pass(1_000);
    expect(one.snapshots).toHaveLength(2);
  });

  test('is as quick just after a certificate has ended as just before, and slower the longer ago that was', async () => {
    const one = keeperBench({ lifetimeMs: 10_000 });
    await one.clock.pass(0);
    one.refusal = 'soon';
    await one.clock.pass(600_000);
    const waitedAt = (ms: number): number => {
      const next = one.attempts.findIndex((at) => at > ms);
      return (one.attempts[next + 1] as number) - (one.attempts[next] as number);
    };
    expect(waitedAt(10_500)).toBeLessThan(500);
    expect(waitedAt(20_000)).toBeLessThan(5_000);
    expect(waitedAt(300_000)).toBeGreaterThan(5_000);
  });

  test('ends at once when it is closed, in the middle of a wait', async () => {
    const one = keeperBench();
    one.refusal = 'credential';
    await one.clock.pass(1_000);
    await one.keeper.close();
    const { length } = one.attempts;
    await one.clock.pass(hourMs);
    expect(one.attempts).toHaveLength(length);
  });
});
