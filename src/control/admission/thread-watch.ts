/**
 * The longest time is counted in so many parts: of a process that stands still, as one does whose share of the processor is
 * used up, the thread stands still as well, and only one part has gone by afterwards.
 */
const partsOfLongest = 8;

/** Watches a thread that has something to do, and says when it is at one thing for too long. */
export class ThreadWatch {
  readonly #partMs: number;
  readonly #tooLong: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Since the thread began with what it is at. */
  #partsGone = 0;

  constructor(longestMs: number, tooLong: () => void) {
    this.#partMs = longestMs / partsOfLongest;
    this.#tooLong = tooLong;
  }

  /** From now on the thread is at something new. */
  begin(): void {
    this.#partsGone = 0;
    this.#timer ??= setInterval(() => {
      this.#partsGone += 1;
      // The first part had begun before.
      if (this.#partsGone > partsOfLongest) this.#tooLong();
    }, this.#partMs);
  }

  /** The thread has nothing to do. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
