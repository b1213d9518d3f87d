import { type Rate, TokenBucket } from './token-bucket.ts';

/** A token bucket for each key. Forgets those that are full again, and of more than `most` keys the longest unused. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #most: number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, TokenBucket>();
  #sweepAtMs = 0;

  constructor(rate: Rate, most = Number.POSITIVE_INFINITY) {
    this.#rate = rate;
    this.#most = most;
  }

  /** Takes one of the key's tokens at `nowMs` of a clock that never goes back; false when there is none. */
  take(key: string, nowMs: number): boolean {
    return this.#use(key, nowMs).take(nowMs);
  }

  /**
   * Takes `tokens` of the key's whether they are there or not: gives after how many milliseconds what was lent is
   * filled up again, 0 where nothing was lent.
   */
  spend(key: string, tokens: number, nowMs: number): number {
    return this.#use(key, nowMs).spend(tokens, nowMs);
  }

  /** After how many milliseconds the key has a token, by what was taken until `nowMs`; 0: it has one. */
  waitMs(key: string, nowMs: number): number {
    return this.#buckets.get(key)?.waitMs(nowMs) ?? new TokenBucket(this.#rate).waitMs(nowMs);
  }

  /** The keys that have a bucket: without a bound on their number, those of twice the time in which one fills. */
  get remembered(): readonly string[] {
    return [...this.#buckets.keys()];
  }

  #use(key: string, nowMs: number): TokenBucket {
    this.#sweep(nowMs);
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#rate);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > this.#most && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }

  /** A bucket that is full again says nothing. */
  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return;
    const fullAfterMs = (this.#rate.burst / this.#rate.perSecond) * 1_000;
    for (const [key, bucket] of this.#buckets) if (bucket.isFull(nowMs)) this.#buckets.delete(key);
    this.#sweepAtMs = nowMs + Math.max(1_000, fullAfterMs);
  }
}
