import { KeySetError, type KeySetFault } from './fault.ts';
import type { KeySet, KeySetResult, KeySetSource } from './key-set.ts';
import { type DiscoveredUrl, type RequestOptions, requestKeys } from './request.ts';
import { retryAfterMs } from './retry-after.ts';
import { nextLook } from './schedule.ts';

/** One source: while it is awake it asks for its keys at once and again and again; keeps the last valid ones. */
export class KeySetEntry {
  /** What the next request asks; a caller may bring another time limit. */
  source: KeySetSource;
  /** Monotonic milliseconds of the last time somebody asked. */
  usedMs: number;
  #options: RequestOptions;
  readonly #isWanted: () => boolean;
  #awake: AbortController | undefined;
  #first: Promise<void> = Promise.resolve();
  #keySet: KeySet | undefined;
  #fault: KeySetFault | undefined;
  /** Monotonic milliseconds at which the keys in force were last seen at the source. */
  #seenMs = 0;
  #failures = 0;
  /** Monotonic milliseconds at which the next look is due. */
  #dueMs = 0;
  #discovered: DiscoveredUrl | undefined;
  /** Under which the keys in force came: if others hold since, a refusal of their host drops them. */
  #keysUnder: RequestOptions | undefined;

  constructor(source: KeySetSource, options: RequestOptions, isWanted: () => boolean) {
    this.source = source;
    this.#options = options;
    this.#isWanted = isWanted;
    this.usedMs = options.clock.monotonicMs();
  }

  /** Resolves when something is known: when the first request has ended, well or not. */
  get first(): Promise<void> {
    return this.#first;
  }

  /** Begins to ask, or goes on where `rest` ended it. */
  wake(): void {
    if (this.#awake !== undefined) return;
    this.#awake = new AbortController();
    const { signal } = this.#awake;
    // A turn later, so that an observer may call the resolver again.
    if (this.result === undefined) this.#first = Promise.resolve().then(() => this.#look(signal));
    void this.#watch(signal);
  }

  /** Asks no more, and ends what is in progress. */
  rest(): void {
    this.#awake?.abort();
    this.#awake = undefined;
  }

  /**
   * Other hosts may be private: an awake source asks at once. If its host is refused now, the last valid keys are
   * dropped.
   */
  askUnder(options: RequestOptions): void {
    this.#options = options;
    this.#discovered = undefined;
    this.#dueMs = options.clock.monotonicMs();
    // A first look is waited for: it notices at its end that it asked under other rules.
    if (this.#awake === undefined || this.result === undefined) return;
    this.rest();
    this.wake();
  }

  /** Undefined until the first request has ended. */
  get result(): KeySetResult | undefined {
    if (this.#keySet !== undefined) return { keySet: this.#keySet, fault: this.#fault };
    return this.#fault && { fault: this.#fault };
  }

  /** Keeps the keys fresh until the signal fires or nobody wants them any more. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    await this.#first;
    while (!signal.aborted) {
      await clock.sleep(Math.max(0, this.#dueMs - clock.monotonicMs()), signal);
      if (signal.aborted || !this.#isWanted()) return;
      await this.#look(signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const options = this.#options;
    await this.#lookUnder(options, signal);
    if (!signal.aborted && options !== this.#options) await this.#look(signal);
  }

  async #lookUnder(options: RequestOptions, signal: AbortSignal): Promise<void> {
    const { clock, observer } = options;
    const { source } = this;
    const startMs = clock.monotonicMs();
    observer.onRequest(source);
    try {
      const { keys, discovered } = await requestKeys(source, this.#discovered, options, signal);
      // Checking keys goes on after the signal; by now a newer look may have brought newer keys.
      if (signal.aborted) return;
      this.#discovered = discovered;
      observer.onRequestEnd(source, clock.monotonicMs() - startMs, undefined);
      this.#accept({ ...keys, fetchedAtMs: clock.wallMs() }, options);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof KeySetError)) throw error;
      const fault = error.toFault();
      observer.onRequestEnd(source, clock.monotonicMs() - startMs, fault);
      this.#fail(fault, retryAfterMs(error.retryAfter, clock.wallMs()));
    }
  }

  #setDue(wait: number | undefined): void {
    const { clock, timings } = this.#options;
    const outlook = { failures: this.#failures, hasKeys: this.#keySet !== undefined, retryAfterMs: wait };
    this.#dueMs = clock.monotonicMs() + nextLook(outlook, timings.refreshMs, clock.random());
  }

  #accept(keySet: KeySet, options: RequestOptions): void {
    const isNew = this.#keySet?.digest !== keySet.digest;
    this.#keySet = keySet;
    this.#seenMs = this.#options.clock.monotonicMs();
    this.#keysUnder = options;
    this.#fault = undefined;
    this.#failures = 0;
    this.#setDue(undefined);
    if (isNew) this.#options.observer.onChange(this.source, { keySet });
  }

  #fail(fault: KeySetFault, wait: number | undefined): void {
    const { clock, observer, timings } = this.#options;
    const isNews = this.#fault?.message !== fault.message;
    this.#fault = fault;
    this.#failures++;
    // The issuer may have moved its keys: its discovery document is read again.
    this.#discovered = undefined;
    if (isNews) observer.onFault(this.source, fault);
    if (this.#keySet !== undefined && this.#isWithdrawnBy(fault)) {
      this.#keySet = undefined;
      // The next look is soon, as for a source that never had keys.
      this.#failures = 1;
      observer.onChange(this.source, { fault });
    } else if (this.#keySet !== undefined && clock.monotonicMs() - this.#seenMs >= timings.dropMs) {
      this.#keySet = undefined;
      const message = `the last valid keys are too old, and no newer ones: ${fault.message}`;
      this.#fault = { code: 'outdated', message };
      observer.onChange(this.source, { fault: this.#fault });
    }
    this.#setDue(wait);
  }

  /**
   * The source's own word, or the operator's, is that the last valid keys count no more; others of its faults may pass.
   */
  #isWithdrawnBy({ code }: KeySetFault): boolean {
    return code === 'keys-withdrawn' || (code === 'host-refused' && this.#keysUnder !== this.#options);
  }
}

export const closedFault: KeySetFault = { code: 'closed', message: 'the key-set resolver has ended' };
