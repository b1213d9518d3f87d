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
    const filled = this.#filled(key, nowMs);
    const isTaken = filled >= 1;
    this.#put(key, { tokens: isTaken ? filled - 1 : filled, atMs: nowMs });
    return isTaken;
  }

  /**
   * Takes `tokens` of the key's whether they are there or not: gives after how many milliseconds what was lent is
   * filled up again, 0 where nothing was lent.
   */
  spend(key: string, tokens: number, nowMs: number): number {
    this.#sweep(nowMs);
    const left = this.#filled(key, nowMs) - tokens;
    this.#put(key, { tokens: left, atMs: nowMs });
    return left >= 0 ? 0 : (-left / this.#rate.perSecond) * 1_000;
  }

  /** After how many milliseconds the key has a token, by what was taken until `nowMs`; 0: it has one. */
  waitMs(key: string, nowMs: number): number {
    return Math.max(0, ((1 - this.#filled(key, nowMs)) / this.#rate.perSecond) * 1_000);
  }

  /** The keys that have a bucket: without a bound on their number, those of twice the time in which one fills. */
  get remembered(): readonly string[] {
    return [...this.#buckets.keys()];
  }

  #filled(key: string, nowMs: number): number {
    const { perSecond, burst } = this.#rate;
    const { tokens, atMs } = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    return Math.min(burst, tokens + ((nowMs - atMs) / 1_000) * perSecond);
  }

  #put(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > this.#most && oldest !== undefined) this.#buckets.delete(oldest);
  }

  /** A bucket that is full again says nothing. */
  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return;
    const fullAfterMs = (this.#rate.burst / this.#rate.perSecond) * 1_000;
    for (const key of [...this.#buckets.keys()]) {
      if (this.#filled(key, nowMs) >= this.#rate.burst) this.#buckets.delete(key);
    }
    this.#sweepAtMs = nowMs + Math.max(1_000, fullAfterMs);
  }
}
