/** A source of chance that gives the same values for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** From 0 up to, not including, `below`. */
  below(below: number): number {
    // xorshift32
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state % below;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** True with this chance, in percent. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** One to `most` of them, all different. */
  some<T>(from: readonly T[], most = 3): readonly T[] {
    const count = 1 + this.below(most);
    return [...new Set(Array.from({ length: count }, () => this.pick(from)))];
  }
}
