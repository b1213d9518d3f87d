/** Times for which events are collected. */
export interface DebounceTimes {
  /** PILOT_DEBOUNCE_AFTER: so long it has to be quiet. */
  readonly afterMs: number;
  /** PILOT_DEBOUNCE_MAX: so long they are gathered at most. */
  readonly maxMs: number;
}

/** Longest delay of a change that may remove access; a file has rested for 40 ms before, which makes 200. */
export const urgentMs = 160;

/** An event, and whether it may wait for others. */
export interface DebouncedEvent {
  readonly isUrgent?: boolean;
  readonly isAtOnce?: boolean;
  readonly quietSinceMs?: number | undefined;
}

/** Collects events and runs its work once for all of them, never twice at a time. */
export class Debounce {
  readonly #times: DebounceTimes;
  readonly #work: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #firstAtMs = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  #urgentAtMs = Number.POSITIVE_INFINITY;
  #events = 0;
  #isWorking = false;
  #isClosed = false;

  /** `work` must not reject. */
  constructor(times: DebounceTimes, work: () => Promise<void>) {
    this.#times = times;
    this.#work = work;
  }

  /**
   * One more event. It has been quiet since `quietSinceMs`, as `performance.now()` counts: what it took to find the change out
   * counts as quiet, up to half of the time, for what has happened meanwhile is not known yet.
   */
  add({ isUrgent = false, isAtOnce = false, quietSinceMs }: DebouncedEvent = {}): void {
    const now = performance.now();
    if (this.#events === 0) this.#firstAtMs = now;
    this.#events++;
    const sinceMs = Math.min(now, Math.max(quietSinceMs ?? now, now - this.#times.afterMs / 2));
    // It has not been quiet since before another event.
    this.#lastAtMs = Math.max(this.#lastAtMs, sinceMs);
    if (isAtOnce) this.#urgentAtMs = now;
    else if (isUrgent) this.#urgentAtMs = Math.min(this.#urgentAtMs, now + Math.min(urgentMs, this.#times.afterMs));
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#isWorking || this.#events === 0 || this.#isClosed) return;
    const { afterMs, maxMs } = this.#times;
    const due = Math.min(this.#lastAtMs + afterMs, this.#firstAtMs + maxMs, this.#urgentAtMs);
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, due - performance.now()));
  }

  async #run(): Promise<void> {
    this.#isWorking = true;
    this.#events = 0;
    this.#urgentAtMs = Number.POSITIVE_INFINITY;
    await this.#work();
    this.#isWorking = false;
    this.#arm();
  }
}
