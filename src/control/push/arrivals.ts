/** First requests of one identity that are read at the same time. */
const togetherOfIdentity = 8;
/** Streams of one identity that wait; as many may begin at once (the burst of `StreamLimits`). */
const mostWaiting = 250;

/** The streams of one identity. */
interface Line {
  /** Of which the first request is being read. */
  running: number;
  readonly waiting: (() => void)[];
}

/** Limits how many first requests are read at the same time, in turns between the identities of their clients. */
export class Arrivals {
  readonly #together: number;
  /** In the order of their next turns. */
  readonly #lines = new Map<string, Line>();
  #running = 0;

  /** `together`: of all identities. */
  constructor(together: number) {
    this.#together = together;
  }

  /** Resolves when a first request may be read, with the function that ends the turn; undefined: too many wait. */
  turn(identity: string): Promise<(() => void) | undefined> {
    const line = this.#lines.get(identity) ?? { running: 0, waiting: [] };
    if (line.waiting.length >= mostWaiting) return Promise.resolve(undefined);
    this.#lines.set(identity, line);
    return new Promise((resolve) => {
      let isOver = false;
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        line.running--;
        this.#running--;
        if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(identity);
        // A thousand requests that wait in the transport would all be read before anything else of the process has its turn.
        setImmediate(() => this.#next());
      };
      line.waiting.push(() => resolve(end));
      this.#next();
    });
  }

  /** Begins the next one if there is room. The identity whose turn it was then waits behind all others. */
  #next(): void {
    if (this.#running >= this.#together) return;
    for (const [identity, line] of this.#lines) {
      if (line.running >= togetherOfIdentity) continue;
      const begin = line.waiting.shift();
      if (begin === undefined) continue;
      this.#lines.delete(identity);
      this.#lines.set(identity, line);
      line.running++;
      this.#running++;
      begin();
      return;
    }
  }
}
