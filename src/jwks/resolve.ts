import { type Clock, systemClock } from '../lib/clock.ts';
import { abortable } from './abortable.ts';
import { closedFault, KeySetEntry } from './entry.ts';
import type { KeySetObserver, KeySetResult, KeySetSource } from './key-set.ts';
import { createLookup } from './lookup.ts';
import type { RequestOptions } from './request.ts';
import { defaultTimings, type Timings } from './schedule.ts';
import type { Lookup } from './target.ts';
import { createTransport, type Transport } from './transport.ts';

export interface KeySetResolverOptions {
  readonly observer: KeySetObserver;
  /** Hosts that may be private; see `TargetRules`. None by default. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** PEM certificates that are trusted beside Node's roots; ignored where a transport is given. */
  readonly extraRoots?: string | undefined;
  readonly timings?: Partial<Timings> | undefined;
  readonly clock?: Clock | undefined;
  readonly lookup?: Lookup | undefined;
  readonly transport?: Transport | undefined;
  readonly judgeKeys?: RequestOptions['judgeKeys'];
}

/** Keeps the key sets of issuers at hand. */
export interface KeySetResolver {
  /**
   * The keys of a source. Waits only for the first request of a source, which all callers share; after that the last
   * good keys, or the reason of the last failure, come at once. Rejects only with the reason of the caller's signal,
   * which ends the wait and not the request.
   */
  get(source: KeySetSource, signal?: AbortSignal): Promise<KeySetResult>;
  /** What is known now, without waiting; undefined before the first request has ended. Counts as use. */
  current(source: KeySetSource): KeySetResult | undefined;
  /**
   * The sources that are in use from now on: they are kept fresh however long nobody asks. Others are not asked any more;
   * their last valid keys stay for a week, should they come into use again.
   */
  retain(sources: readonly KeySetSource[]): void;
  /**
   * Other hosts may be private from now on. Each source is asked again at once; keys whose host is refused now are dropped.
   */
  allow(hosts: readonly string[]): void;
  /** Ends every request and wait; who still waits for keys gets the fault `closed`. */
  close(): void;
}

/** A resolver with an empty cache; it opens a connection only for a source that somebody names. */
export function createKeySetResolver(options: KeySetResolverOptions): KeySetResolver {
  return new CachingResolver({
    observer: options.observer,
    allowedHosts: options.allowedHosts ?? [],
    lookup: options.lookup ?? createLookup(),
    transport: options.transport ?? createTransport({ extraRoots: options.extraRoots }),
    clock: options.clock ?? systemClock,
    timings: { ...defaultTimings, ...options.timings },
    judgeKeys: options.judgeKeys,
  });
}

class CachingResolver implements KeySetResolver {
  #options: RequestOptions;
  readonly #entries = new Map<string, KeySetEntry>();
  readonly #closing = new AbortController();
  #retained: ReadonlySet<string> = new Set();

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  async get(source: KeySetSource, signal?: AbortSignal): Promise<KeySetResult> {
    signal?.throwIfAborted();
    if (this.#closing.signal.aborted) return { fault: closedFault };
    const entry = this.#entryOf(source);
    await (signal === undefined ? entry.first : abortable(entry.first, signal));
    return entry.result ?? { fault: closedFault };
  }

  current(source: KeySetSource): KeySetResult | undefined {
    return this.#closing.signal.aborted ? { fault: closedFault } : this.#entryOf(source).result;
  }

  retain(sources: readonly KeySetSource[]): void {
    if (this.#closing.signal.aborted) return;
    const nowMs = this.#options.clock.monotonicMs();
    const before = this.#retained;
    this.#retained = new Set(sources.map(keyOf));
    for (const [key, entry] of this.#entries) {
      if (before.has(key)) entry.usedMs = nowMs;
      if (this.#isKept(key, entry) && !this.#retained.has(key)) entry.rest();
    }
    for (const source of sources) this.#entryOf(source);
  }

  allow(hosts: readonly string[]): void {
    if (JSON.stringify(hosts) === JSON.stringify(this.#options.allowedHosts)) return;
    this.#options = { ...this.#options, allowedHosts: hosts };
    for (const entry of this.#entries.values()) entry.askUnder(this.#options);
  }

  close(): void {
    this.#closing.abort();
    for (const entry of this.#entries.values()) entry.rest();
    this.#entries.clear();
  }

  #entryOf(source: KeySetSource): KeySetEntry {
    const key = keyOf(source);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.source = source;
      known.usedMs = this.#options.clock.monotonicMs();
      known.wake();
      return known;
    }
    const entry: KeySetEntry = new KeySetEntry(source, this.#options, () => this.#isKept(key, entry));
    this.#entries.set(key, entry);
    entry.wake();
    return entry;
  }

  #isKept(key: string, entry: KeySetEntry): boolean {
    const { clock, timings } = this.#options;
    const isKept = this.#retained.has(key) || clock.monotonicMs() - entry.usedMs < timings.dropMs;
    if (!isKept) {
      entry.rest();
      this.#entries.delete(key);
    }
    return isKept;
  }
}

/** The issuer counts too: two issuers with one URL are two sources, whose news go to different rules. */
function keyOf({ issuer, jwksUri }: KeySetSource): string {
  return JSON.stringify([issuer, jwksUri ?? '']);
}
