import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { AuthorityError, type Remedy } from './authority.ts';
import { CertificateKeeper } from './keeper.ts';
import type { RenewalTrouble } from './renewal-report.ts';
import type { SecretSnapshot } from './snapshot.ts';
import { createTestClock, type TestClock } from './testing/test-clock.ts';

const hourMs = 3_600_000;

interface Bench {
  readonly clock: TestClock;
  readonly keeper: CertificateKeeper;
  /** Wall time of each attempt, from the start. */
  readonly attempts: number[];
  readonly deadlines: number[];
  readonly snapshots: SecretSnapshot[];
  readonly troubles: (RenewalTrouble & { readonly atMs: number })[];
  readonly counts: Record<'requested' | 'retried' | 'failed' | 'finished', number>;
  /** What attempts meet; undefined lets them succeed. */
  refusal: Remedy | undefined;
}

let keeper: CertificateKeeper | undefined;
afterEach(() => keeper?.close());

function bench(options: { lifetimeMs?: number; random?: () => number; initialBackoffMs?: number } = {}): Bench {
  const { lifetimeMs = 24 * hourMs, random = () => 0.5, initialBackoffMs = 0 } = options;
  const clock = createTestClock(random);
  const startMs = clock.wallMs();
  const counts = { requested: 0, retried: 0, failed: 0, finished: 0 };
  const count = (name: keyof typeof counts) => (): void => {
    counts[name] += 1;
  };
  const made: Omit<Bench, 'keeper'> = {
    clock,
    attempts: [],
    deadlines: [],
    snapshots: [],
    troubles: [],
    counts,
    refusal: undefined,
  };
  const result = Object.assign(made, {
    keeper: new CertificateKeeper({
      clock,
      graceRatio: 0.5,
      checkIntervalMs: 300_000,
      initialBackoffMs,
      request: async ({ deadlineMs }) => {
        made.attempts.push(clock.wallMs() - startMs);
        made.deadlines.push(deadlineMs);
        if (made.refusal !== undefined) throw new AuthorityError('away', made.refusal);
        return snapshot(clock.wallMs() + lifetimeMs);
      },
      observer: {
        onSnapshot: (one) => made.snapshots.push(one),
        onTrouble: (trouble) => made.troubles.push({ ...trouble, atMs: clock.wallMs() - startMs }),
      },
      outgoing: {
        requested: count('requested'),
        retried: count('retried'),
        failed: count('failed'),
        finished: count('finished'),
      },
    }),
  });
  keeper = result.keeper;
  result.keeper.start();
  return result;
}

const snapshot = (notAfterMs: number): SecretSnapshot => ({
  spiffeId: 'spiffe://a/b',
  certificateChain: '',
  privateKey: '',
  rootCertificates: '',
  notAfterMs,
  serialNumber: '1',
});

describe('CertificateKeeper', () => {
  test('renews when the time of grace begins, for ever', async () => {
    const { clock, attempts, counts } = bench();
    await clock.pass(49 * hourMs);
    expect(attempts.map((ms) => Math.round(ms / hourMs))).toEqual([0, 12, 24, 36, 48]);
    expect(counts).toEqual({ requested: 5, retried: 0, failed: 0, finished: 5 });
  });

  test('never sleeps longer than a minute, however long the certificate lasts', async () => {
    const { clock, attempts } = bench({ lifetimeMs: 365 * 24 * hourMs });
    await clock.pass(26 * 24 * hourMs);
    expect(attempts).toEqual([0]);
    expect(Math.max(...clock.sleeps)).toBe(60_000);
  });

  test('spreads renewals by one hundredth either way', async () => {
    for (const [random, hours] of [
      [0, 12 + 0.12],
      [1, 12 - 0.12],
    ] as const) {
      const { clock, attempts } = bench({ random: () => random });
      await clock.pass(13 * hourMs);
      expect((attempts[1] ?? 0) / hourMs).toBeCloseTo(hours, 1);
    }
  });

  test.each([
    ['forward', 20 * hourMs],
    ['far forward', 400 * hourMs],
  ])('renews within a minute after the clock jumps %s', async (_name, jumpMs) => {
    const { clock, snapshots } = bench();
    await clock.pass(hourMs);
    clock.jump(jumpMs);
    await clock.pass(60_000);
    expect(snapshots).toHaveLength(2);
  });

  test('renews by its own age after the clock was set back', async () => {
    const { clock, snapshots } = bench();
    await clock.pass(hourMs);
    clock.jump(-20 * hourMs);
    await clock.pass(10 * hourMs);
    expect(snapshots).toHaveLength(1);
    await clock.pass(1.1 * hourMs);
    expect(snapshots).toHaveLength(2);
  });

  test('has a certificate that is good at every moment, whatever jumps while the authority answers', async () => {
    const jump = fc.record({
      afterMs: fc.integer({ min: 0, max: 10 * hourMs }),
      byMs: fc.integer({ min: -86_400_000, max: 86_400_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(jump, { maxLength: 6 }), async (jumps) => {
        const { clock, snapshots, keeper: one } = bench();
        for (const { afterMs, byMs } of jumps) {
          await clock.pass(afterMs);
          clock.jump(byMs);
          await clock.pass(61_000);
          expect((snapshots.at(-1) as SecretSnapshot).notAfterMs).toBeGreaterThan(clock.wallMs());
        }
        await one.close();
      }),
      { numRuns: 30 },
    );
  });
});

describe('CertificateKeeper.renew', () => {
  test('renews at once, and once, whatever the certificate still has', async () => {
    const { clock, snapshots, keeper: one } = bench();
    await clock.pass(hourMs);
    one.renew();
    await clock.pass(1);
    expect(snapshots).toHaveLength(2);
    await clock.pass(11 * hourMs);
    expect(snapshots).toHaveLength(2);
  });
});

describe('CertificateKeeper without an authority', () => {
  test('waits longer and longer, never more than 30 s, with ever other delays', async () => {
    const values = [0.1, 0.9, 0.3, 0.7];
    let i = 0;
    const one = bench({ random: () => values[i++ % values.length] as number });
    one.refusal = 'soon';
    await one.clock.pass(600_000);
    const delays = one.attempts.slice(1).map((ms, n) => ms - (one.attempts[n] as number));
    for (const [n, delay] of delays.entries()) expect(delay).toBeLessThanOrEqual(Math.min(30_000, 200 * 2 ** n));
    expect(Math.max(...delays)).toBeGreaterThan(20_000);
    expect(one.keeper.problem).toBe('away');
    expect(one.counts.retried).toBeGreaterThan(3);
    expect(one.counts.failed).toBe(one.counts.requested - 1);
    one.refusal = undefined;
    await one.clock.pass(30_000);
    expect(one.keeper.problem).toBeUndefined();
  });

  test('asks with a refused credential every 15 to 30 s, and takes the next good one', async () => {
    const one = bench();
    one.refusal = 'credential';
    await one.clock.pass(120_000);
    expect(one.attempts).toEqual([0, 22_500, 45_000, 67_500, 90_000, 112_500]);
  });

  test('does not repeat a request that is refused for itself, and looks again at the check interval', async () => {
    const one = bench();
    one.refusal = 'none';
    await one.clock.pass(299_000);
    expect(one.attempts).toEqual([0]);
    expect(one.troubles).toMatchObject([{ message: 'away' }]);
    await one.clock.pass(2_000);
    expect(one.attempts).toHaveLength(2);
  });

  test('waits a random time before the first attempt of each request when told to', async () => {
    const one = bench({ initialBackoffMs: 4_000 });
    await one.clock.pass(1_999);
    expect(one.attempts).toEqual([]);
    await one.clock.pass(1);
    expect(one.attempts).toEqual([2_000]);
  });
});

describe('CertificateKeeper when a renewal fails', () => {
  test('keeps the old certificate, tells graver and graver, and recovers', async () => {
    const one = bench({ lifetimeMs: 10 * hourMs });
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

  test('tells an error before a certificate of 10 s ends, and is quick enough for it', async () => {
    const one = bench({ lifetimeMs: 10_000 });
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
    const one = bench({ lifetimeMs: 10_000 });
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
    const one = bench();
    one.refusal = 'credential';
    await one.clock.pass(1_000);
    await one.keeper.close();
    const { length } = one.attempts;
    await one.clock.pass(hourMs);
    expect(one.attempts).toHaveLength(length);
  });
});
