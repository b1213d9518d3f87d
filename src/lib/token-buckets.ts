/** How fast a bucket fills, and how much it holds. */
export interface Rate {
  readonly perSecond: number;
  /** How many may be taken at once, after a pause. */
  readonly burst: number;
}

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** A token bucket for each key. Forgets those that are full again, and of more than `most` keys the longest unused. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #most: number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();
  #sweepAtMs = 0;

  constructor(rate: Rate, most = Number.POSITIVE_INFINITY) {
    this.#rate = rate;
    this.#most = most;
  }

  /** Takes one of the key's tokens at `nowMs` of a clock that never goes back; false when there is none. */
  take(key: string, nowMs: number): boolean {
    this.#sweep(nowMs);
    const { perSecond, burst } = this.#rate;
    const { tokens, atMs } = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const filled = Math.min(burst, tokens + ((nowMs - atMs) / 1_000) * perSecond);
    const isTaken = filled >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: isTaken ? filled - 1 : filled, atMs: nowMs });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > this.#most && oldest !== undefined) this.#buckets.delete(oldest);
    return isTaken;
  }

  /** The keys that have a bucket: without a bound on their number, those of twice the time in which one fills. */
  get remembered(): readonly string[] {
    return [...this.#buckets.keys()];
  }

  /** A bucket that is full again says nothing. */
  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return;
    const fullAfterMs = (this.#rate.burst / this.#rate.perSecond) * 1_000;
    for (const [key, { atMs }] of this.#buckets) {
      if (nowMs - atMs >= fullAfterMs) this.#buckets.delete(key);
    }
    this.#sweepAtMs = nowMs + Math.max(1_000, fullAfterMs);
  }
}
