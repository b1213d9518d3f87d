import type { ReadClock } from '../../lib/clock.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';

/** Rate and burst of one caller. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  /** At once, after a pause. */
  readonly burst: number;
}

/** An agent asks for one certificate at a time; each request in progress may hold a whole message in memory. */
const mostAtOnce = 32;

/**
 * Limits the rate of each caller by a token bucket, and the number of its requests in progress. Callers without recent
 * requests are forgotten.
 */
export class CallerLimits {
  readonly #clock: ReadClock;
  readonly #buckets: TokenBuckets;
  readonly #inProgress = new Map<string, number>();

  constructor(limit: RateLimit, monotonicMs: ReadClock) {
    this.#buckets = new TokenBuckets({ perSecond: limit.requestsPerSecond, burst: limit.burst });
    this.#clock = monotonicMs;
  }

  /** Takes one request of the caller; false when there is none left. */
  take(caller: string): boolean {
    return this.#buckets.take(caller, this.#clock());
  }

  /** The callers that have a bucket. */
  get remembered(): readonly string[] {
    return this.#buckets.remembered;
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
}
