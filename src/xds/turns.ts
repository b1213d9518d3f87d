/** So long messages are taken before all else of the process has its turn. */
const longestMs = 10;

/**
 * Takes what many clients say piece by piece: of a thousand clients that come at once none makes the others, a signal or a
 * probe wait for all. What one client says stays in its order.
 */
export class Turns {
  readonly #longestMs: number;
  readonly #clock: () => number;
  #waiting: (() => void)[] = [];
  #next = 0;
  #spentMs = 0;
  #isScheduled = false;

  constructor(longest = longestMs, clock: () => number = () => performance.now()) {
    this.#longestMs = longest;
    this.#clock = clock;
  }

  /** Acts now, where there is time left in this turn and nobody waits: true. Else in a later turn: false. */
  take(act: () => void): boolean {
    this.#schedule();
    if (this.#next < this.#waiting.length || this.#spentMs >= this.#longestMs) {
      this.#waiting.push(act);
      return false;
    }
    this.#run(act);
    return true;
  }

  #run(act: () => void): void {
    const began = this.#clock();
    try {
      act();
    } finally {
      this.#spentMs += this.#clock() - began;
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#spentMs = 0;
    while (this.#next < this.#waiting.length) {
      if (this.#spentMs >= this.#longestMs) break;
      const act = this.#waiting[this.#next++];
      if (act !== undefined) this.#run(act);
    }
    if (this.#next < this.#waiting.length) this.#schedule();
    else {
      this.#waiting = [];
      this.#next = 0;
    }
  }
}
