/** How fast a bucket fills, and how much it holds. */
export interface Rate {
  readonly perSecond: number;
  /** How many may be taken at once, after a pause. */
  readonly burst: number;
}

/** A bucket that is full at first. The times are of a clock that never goes back. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #atMs = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  isFull(nowMs: number): boolean {
    return this.#filled(nowMs) >= this.#rate.burst;
  }

  /** Takes a token; false when there is none. */
  take(nowMs: number): boolean {
    const filled = this.#filled(nowMs);
    const isTaken = filled >= 1;
    this.#put(isTaken ? filled - 1 : filled, nowMs);
    return isTaken;
  }

  /**
   * Takes `tokens` whether they are there or not: gives after how many milliseconds what was lent is filled up again, 0
   * where nothing was lent.
   */
  spend(tokens: number, nowMs: number): number {
    const left = this.#filled(nowMs) - tokens;
    this.#put(left, nowMs);
    return left >= 0 ? 0 : (-left / this.#rate.perSecond) * 1_000;
  }

  /** After how many milliseconds there is a token; 0: there is one. */
  waitMs(nowMs: number): number {
    return Math.max(0, ((1 - this.#filled(nowMs)) / this.#rate.perSecond) * 1_000);
  }

  #filled(nowMs: number): number {
    const { perSecond, burst } = this.#rate;
    return Math.min(burst, this.#tokens + ((nowMs - this.#atMs) / 1_000) * perSecond);
  }

  #put(tokens: number, nowMs: number): void {
    this.#tokens = tokens;
    this.#atMs = nowMs;
  }
}
