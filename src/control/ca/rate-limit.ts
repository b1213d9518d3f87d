import type { Clock } from '../control-log.ts';

/** How much one caller may ask for. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  /** At once, after a pause. */
  readonly burst: number;
}

/** One token bucket a caller. Callers that have been quiet are forgotten. */
export class CallerLimits {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  #sweepAtMs = 0;

  constructor(limit: RateLimit, monotonicMs: Clock) {
    this.#limit = limit;
    this.#clock = monotonicMs;
  }

  /** Takes one request of the caller; false when there is none left. */
  take(caller: string): boolean {
    const nowMs = this.#clock();
    this.#sweep(nowMs);
    const { requestsPerSecond, burst } = this.#limit;
    const bucket = this.#buckets.get(caller) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * requestsPerSecond);
    const isTaken = tokens >= 1;
    this.#buckets.set(caller, { tokens: isTaken ? tokens - 1 : tokens, atMs: nowMs });
    return isTaken;
  }

  /** A bucket that is full again says nothing. */
  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return;
    const fullAfterMs = (this.#limit.burst / this.#limit.requestsPerSecond) * 1000;
    for (const [caller, { atMs }] of this.#buckets) {
      if (nowMs - atMs >= fullAfterMs) this.#buckets.delete(caller);
    }
    this.#sweepAtMs = nowMs + Math.max(1000, fullAfterMs);
  }
}
