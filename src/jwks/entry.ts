import { KeySetError, type KeySetFault } from './fault.ts';
import type { KeySet, KeySetResult, KeySetSource } from './key-set.ts';
import { type DiscoveredUrl, type RequestOptions, requestKeys } from './request.ts';
import { nextLook } from './schedule.ts';

/** One source under watch: asks for its keys at once and again and again, keeps the last good ones. */
export class KeySetEntry {
  /** What the next request asks; a caller may bring another time limit. */
  source: KeySetSource;
  /** Monotonic milliseconds of the last time somebody asked. */
  usedMs: number;
  /** Resolves when the first request has ended, well or not. */
  readonly first: Promise<void>;
  readonly #options: RequestOptions;
  #keySet: KeySet | undefined;
  #fault: KeySetFault | undefined;
  /** Monotonic milliseconds at which the keys in force were last seen at the source. */
  #seenMs = 0;
  #failures = 0;
  #discovered: DiscoveredUrl | undefined;

  constructor(source: KeySetSource, options: RequestOptions, signal: AbortSignal) {
    this.source = source;
    this.#options = options;
    this.usedMs = options.clock.monotonicMs();
    // A turn later, so that an observer may call the resolver again.
    this.first = Promise.resolve().then(() => this.#look(signal));
  }

  /** Undefined until the first request has ended. */
  get result(): KeySetResult | undefined {
    if (this.#keySet !== undefined) return { keySet: this.#keySet, fault: this.#fault };
    return this.#fault && { fault: this.#fault };
  }

  /** Keeps the keys fresh until the signal fires or nobody wants them any more. */
  async watch(signal: AbortSignal, isWanted: () => boolean): Promise<void> {
    const { clock, timings, random } = this.#options;
    await this.first;
    while (!signal.aborted) {
      const outlook = { failures: this.#failures, hasKeys: this.#keySet !== undefined };
      await clock.delay(nextLook(outlook, timings.refreshMs, random()), signal);
      if (signal.aborted || !isWanted()) return;
      await this.#look(signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { clock, observer } = this.#options;
    const { source } = this;
    const startMs = clock.monotonicMs();
    observer.onRequest(source);
    try {
      const { keys, discovered } = await requestKeys(source, this.#discovered, this.#options, signal);
      this.#discovered = discovered;
      observer.onRequestEnd(source, clock.monotonicMs() - startMs, undefined);
      this.#accept({ ...keys, fetchedAtMs: clock.wallMs() });
    } catch (error) {
      if (signal.aborted) {
        this.#fault = closedFault;
        return;
      }
      if (!(error instanceof KeySetError)) throw error;
      const fault = error.toFault();
      observer.onRequestEnd(source, clock.monotonicMs() - startMs, fault);
      this.#fail(fault);
    }
  }

  #accept(keySet: KeySet): void {
    const isNew = this.#keySet?.digest !== keySet.digest;
    this.#keySet = keySet;
    this.#seenMs = this.#options.clock.monotonicMs();
    this.#fault = undefined;
    this.#failures = 0;
    if (isNew) this.#options.observer.onChange(this.source, { keySet });
  }

  #fail(fault: KeySetFault): void {
    const { clock, observer, timings } = this.#options;
    const isNews = this.#fault?.message !== fault.message;
    this.#fault = fault;
    this.#failures++;
    // The issuer may have moved its keys: its discovery document is read again.
    this.#discovered = undefined;
    if (isNews) observer.onFault(this.source, fault);
    if (this.#keySet === undefined || clock.monotonicMs() - this.#seenMs < timings.dropMs) return;
    this.#keySet = undefined;
    this.#fault = { code: 'outdated', message: `the last good keys are too old, and no newer ones: ${fault.message}` };
    observer.onChange(this.source, { fault: this.#fault });
  }
}

export const closedFault: KeySetFault = { code: 'closed', message: 'the key-set resolver has ended' };
