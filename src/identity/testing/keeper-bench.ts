import { onTestFinished } from 'vitest';
import { AuthorityError, type Remedy } from '../authority.ts';
import { CertificateKeeper } from '../keeper.ts';
import type { RenewalTrouble } from '../renewal-report.ts';
import type { SecretSnapshot } from '../snapshot.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

/** One hour in milliseconds. */
export const hourMs = 3_600_000;

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

/** A keeper, started, with the clock of the test; it ends with the test. */
export function keeperBench(
  options: { lifetimeMs?: number; random?: () => number; initialBackoffMs?: number } = {},
): Bench {
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
  onTestFinished(() => result.keeper.close());
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
