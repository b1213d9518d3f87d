/** A source of chance: the same values for the same seed, on every machine. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, `limit` (mulberry32). */
  upTo(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** In so many of a hundred cases. */
  percent(share: number): boolean {
    return this.upTo(100) < share;
  }

  /** One of them; undefined of none. */
  oneOf<T>(all: readonly T[]): T | undefined {
    return all[this.upTo(all.length || 1)];
  }
}
