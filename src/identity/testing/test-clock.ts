import type { Clock } from '../../lib/clock.ts';

/** A clock that only the test moves. */
export interface TestClock extends Clock {
  /** Lets time pass; sleepers wake in order, each before the next. */
  pass(ms: number): Promise<void>;
  /** Sets the wall clock forward or back; nobody's sleep notices. */
  jump(ms: number): void;
  /** How long the sleeps were that were asked for, in milliseconds. */
  readonly sleeps: readonly number[];
}

interface Sleeper {
  readonly wakeAtMs: number;
  readonly wake: () => void;
}

export function createTestClock(random = (): number => 0.5, startMs = Date.UTC(2030, 0, 1)): TestClock {
  let wall = startMs;
  let monotonic = 0;
  const sleepers = new Set<Sleeper>();
  const sleeps: number[] = [];
  const moveTo = (ms: number): void => {
    wall += ms - monotonic;
    monotonic = ms;
  };
  return {
    sleeps,
    wallMs: () => wall,
    monotonicMs: () => monotonic,
    random,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        if (ms > 0) sleeps.push(ms);
        const done = (): void => {
          sleepers.delete(sleeper);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const sleeper: Sleeper = { wakeAtMs: monotonic + ms, wake: done };
        sleepers.add(sleeper);
        signal.addEventListener('abort', done, { once: true });
      }),
    jump: (ms) => {
      wall += ms;
    },
    pass: async (ms) => {
      const until = monotonic + ms;
      for (;;) {
        await settled();
        const [next] = [...sleepers].sort((a, b) => a.wakeAtMs - b.wakeAtMs);
        if (next === undefined || next.wakeAtMs > until) break;
        moveTo(Math.max(monotonic, next.wakeAtMs));
        next.wake();
      }
      moveTo(until);
    },
  };
}

/** Everything that waits for nothing but other promises has run. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
