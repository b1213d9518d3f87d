import { delay } from './abort.ts';

/** Time and chance, handed in so that tests can bend them. */
export interface Clock {
  /** Milliseconds since the epoch; may jump either way. */
  wallMs(): number;
  /** Milliseconds since some moment; never goes back, and may stand still while the machine sleeps. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: delay,
  random: () => Math.random(),
};

/** One reading of a clock in milliseconds; which clock, its user says. */
export type ReadClock = () => number;

/** Unix milliseconds, with fractions, of a clock that nobody sets back. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
