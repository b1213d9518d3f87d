import type { Clock } from '../../lib/clock.ts';

interface Wait {
  readonly atMs: number;
  readonly end: () => void;
}

/** Time that stands still until a test moves it, and chance that is always the middle. */
export class FakeClock implements Clock {
  #nowMs = 0;
  #waits: Wait[] = [];

  readonly wallMs = (): number => 1_700_000_000_000 + this.#nowMs;
  readonly monotonicMs = (): number => this.#nowMs;
  readonly random = (): number => 0.5;
  readonly sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wait: Wait = {
        atMs: this.#nowMs + milliseconds,
        end: () => {
          this.#waits = this.#waits.filter((other) => other !== wait);
          signal.removeEventListener('abort', wait.end);
          resolve();
        },
      };
      this.#waits.push(wait);
      signal.addEventListener('abort', wait.end, { once: true });
    });

  /** When each wait that is under way ends, in milliseconds from now. */
  get waits(): readonly number[] {
    return this.#waits.map(({ atMs }) => atMs - this.#nowMs);
  }

  /** Lets all that can happen without time going on happen: until `count` waits (one by default) are all that is left. */
  async settle(count = 1): Promise<void> {
    for (let calm = 0; calm < 3; calm++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#waits.length !== count) calm = -1;
    }
  }

  /** Moves the time, ending each wait at its moment and letting what follows happen before the next. */
  async advance(milliseconds: number, count = 1): Promise<void> {
    const untilMs = this.#nowMs + milliseconds;
    for (;;) {
      const [next] = this.#waits.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#nowMs = next.atMs;
      next.end();
      await this.settle(count);
    }
    this.#nowMs = untilMs;
  }
}
