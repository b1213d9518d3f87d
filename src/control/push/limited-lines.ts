import type { ReadClock } from '../../lib/clock.ts';
import type { LogFields } from '../../lib/log.ts';
import type { Rate } from '../../lib/token-bucket.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';

/** Of more keys, those are forgotten that were heard of least lately. */
const mostKeys = 10_000;

/** Limits how many lines of one kind the log gets of each key: clients that can cause such lines could fill the disk. */
export class LimitedLines {
  readonly #buckets: TokenBuckets;
  readonly #clock: ReadClock;
  #leftOut = 0;

  constructor(rate: Rate, clock: ReadClock = () => performance.now()) {
    this.#buckets = new TokenBuckets(rate, mostKeys);
    this.#clock = clock;
  }

  /** What a line of the key ends with: how many were left out before it. Undefined: this one is left out too. */
  next(key: string): LogFields | undefined {
    if (!this.#buckets.take(key, this.#clock())) {
      this.#leftOut++;
      return undefined;
    }
    const leftOut: LogFields = this.#leftOut === 0 ? {} : { leftOut: this.#leftOut };
    this.#leftOut = 0;
    return leftOut;
  }
}
