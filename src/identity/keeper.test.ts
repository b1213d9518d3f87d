import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import type { SecretSnapshot } from './snapshot.ts';
import { hourMs, keeperBench } from './testing/keeper-bench.ts';

describe('CertificateKeeper', () => {
  test('renews when the time of grace begins, for ever', async () => {
    const { clock, attempts, counts } = keeperBench();
    await clock.pass(49 * hourMs);
    expect(attempts.map((ms) => Math.round(ms / hourMs))).toEqual([0, 12, 24, 36, 48]);
    expect(counts).toEqual({ requested: 5, retried: 0, failed: 0, finished: 5 });
  });

  test('never sleeps longer than a minute, however long the certificate lasts', async () => {
    const { clock, attempts } = keeperBench({ lifetimeMs: 365 * 24 * hourMs });
    await clock.pass(26 * 24 * hourMs);
    expect(attempts).toEqual([0]);
    expect(Math.max(...clock.sleeps)).toBe(60_000);
  });

  test('spreads renewals by one hundredth either way', async () => {
    for (const [random, hours] of [
      [0, 12 + 0.12],
      [1, 12 - 0.12],
    ] as const) {
      const { clock, attempts } = keeperBench({ random: () => random });
      await clock.pass(13 * hourMs);
      expect((attempts[1] ?? 0) / hourMs).toBeCloseTo(hours, 1);
    }
  });

  test.each([
    ['forward', 20 * hourMs],
    ['far forward', 400 * hourMs],
  ])('renews within a minute after the clock jumps %s', async (_name, jumpMs) => {
    const { clock, snapshots } = keeperBench();
    await clock.pass(hourMs);
    clock.jump(jumpMs);
    await clock.pass(60_000);
    expect(snapshots).toHaveLength(2);
  });

  test('renews by its own age after the clock was set back', async () => {
    const { clock, snapshots } = keeperBench();
    await clock.pass(hourMs);
    clock.jump(-20 * hourMs);
    await clock.pass(10 * hourMs);
    expect(snapshots).toHaveLength(1);
    await clock.pass(1.1 * hourMs);
    expect(snapshots).toHaveLength(2);
  });

  test('has a certificate that is good at every moment, whatever jumps while the CA answers', async () => {
    const jump = fc.record({
      afterMs: fc.integer({ min: 0, max: 10 * hourMs }),
      byMs: fc.integer({ min: -86_400_000, max: 86_400_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(jump, { maxLength: 6 }), async (jumps) => {
        const { clock, snapshots, keeper: one } = keeperBench();
        for (const { afterMs, byMs } of jumps) {
          await clock.pass(afterMs);
          clock.jump(byMs);
          await clock.pass(61_000);
          expect((snapshots.at(-1) as SecretSnapshot).notAfterMs).toBeGreaterThan(clock.wallMs());
        }
        await one.close();
      }),
      runs(30),
    );
  });
});

describe('CertificateKeeper.renew', () => {
  test('renews at once, and once, whatever the certificate still has', async () => {
    const { clock, snapshots, keeper: one } = keeperBench();
    await clock.pass(hourMs);
    one.renew();
    await clock.pass(1);
    expect(snapshots).toHaveLength(2);
    await clock.pass(11 * hourMs);
    expect(snapshots).toHaveLength(2);
  });
});
