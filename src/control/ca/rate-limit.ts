import type { Clock } from '../control-log.ts';

/** How much one caller may ask for. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  /** At once, after a pause. */
  readonly burst: number;
}

/** An agent asks for one certificate at a time; each request in progress may hold a whole message in memory. */
const mostAtOnce = 32;

/** One token bucket a caller, and how many of its requests are in progress. Callers that have been quiet are forgotten. */
export class CallerLimits {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  readonly #inProgress = new Map<string, number>();
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

  /** The callers that have a bucket: at most those of twice the time in which one fills. */
  get remembered(): readonly string[] {
    return [...this.#buckets.keys()];
  }

  /** Counts a request that begins; false when too many of the caller's are in progress. Each true wants one `leave`. */
  enter(caller: string): boolean {
    const count = this.#inProgress.get(caller) ?? 0;
    if (count >= mostAtOnce) return false;
    this.#inProgress.set(caller, count + 1);
    return true;
  }

  /** Counts a request that has ended. */
  leave(caller: string): void {
    const count = (this.#inProgress.get(caller) ?? 0) - 1;
    if (count > 0) this.#inProgress.set(caller, count);
    else this.#inProgress.delete(caller);
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
