import type { Term } from '../../kubernetes/election.ts';
import { delay, within } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { type FetchedKeySets, sourceName } from '../../live/key-sets/remote.ts';
import { Attempts } from '../leader/attempts.ts';
import type { Leadership } from '../leader/leadership.ts';
import { fittingSets } from './fitting-sets.ts';
import { longestAgeMs, type PublishedKeySet, type PublishedKeys, type PublishedSets } from './published-keys.ts';

type JwtRule = Parameters<FetchedKeySets['find']>[0];

/** Keys of token issuers, as the supervisor of the compile thread asks for them. */
export type KeySetsOfMesh = Pick<FetchedKeySets, 'fetch' | 'find' | 'onChange' | 'close'>;

export interface SharedKeySetsOptions {
  readonly own: FetchedKeySets;
  readonly published: PublishedKeys;
  readonly leadership: Pick<Leadership, 'state' | 'whileLeading'>;
  readonly log: PlainLog;
}

const readEveryMs = 1_000;
const lookEveryMs = 250;
const publishEveryMs = 60_000;
/** Before a replica asks an issuer itself: whether the leader has published its keys. */
const firstReadMs = 2_000;
/** A log names so many issuers, each by so many characters. */
const [mostNamed, longestNamed] = [20, 160];

/** Codes after which an issuer's previous keys are dropped; after all others they stay. */
const final: ReadonlySet<string> = new Set(['keys-withdrawn', 'host-refused', 'url-refused', 'issuer-not-url']);

/**
 * The same key sets on every replica: the leader fetches and publishes them, and the others take what it publishes. What
 * is not published, because nobody leads, a rule is new or its keys are too large, each replica fetches itself. A new leader
 * goes on with what the one before published until it has fetched for itself.
 */
export class SharedKeySets implements KeySetsOfMesh {
  readonly #options: SharedKeySetsOptions;
  readonly #attempts: Attempts;
  readonly #ended = new AbortController();
  #rules: readonly JwtRule[] = [];
  #listener: () => void = () => undefined;
  #hasRead = false;
  #text = '';
  #leftOut = '';

  constructor(options: SharedKeySetsOptions) {
    this.#options = options;
    this.#attempts = new Attempts(
      options.log,
      'replicas cannot share the keys of token issuers now; each fetches them itself',
    );
    options.own.onChange(() => this.#listener());
    options.leadership.whileLeading('keys of token issuers', (term) => this.#publish(term));
    void this.#follow();
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  find(rule: JwtRule): ReturnType<FetchedKeySets['find']> {
    const published = this.#options.published.sets.get(sourceName(rule));
    const set = this.#options.leadership.state.leads ? (this.#decided(rule, published) ?? published) : published;
    if (set === undefined) return this.#options.own.find(rule);
    return set.text === undefined ? set : { text: set.text };
  }

  async fetch(rules: readonly JwtRule[]): Promise<void> {
    this.#rules = rules;
    if (rules.length > 0 && !this.#hasRead) await within(firstReadMs, this.#read());
    await this.#fetchOwn();
  }

  close(): void {
    this.#ended.abort();
    this.#options.own.close();
  }

  /** Fetches all keys at the leader, and at other replicas those that are not published. */
  #fetchOwn(): Promise<void> {
    const { own, published, leadership } = this.#options;
    const { sets } = published;
    return own.fetch(leadership.state.leads ? this.#rules : this.#rules.filter((rule) => !sets.has(sourceName(rule))));
  }

  /** The issuer's answer to this replica; undefined without one, or if the published keys are more recent. */
  #decided(rule: JwtRule, before: PublishedKeySet | undefined): PublishedKeySet | undefined {
    const result = this.#options.own.look(rule);
    if (result?.keySet !== undefined) return { text: result.keySet.text, fetchedAtMs: result.keySet.fetchedAtMs };
    if (result === undefined) return undefined;
    const isKept = before?.text !== undefined && Date.now() - before.fetchedAtMs < longestAgeMs;
    return isKept && !final.has(result.fault.code) ? undefined : { reason: result.fault.message };
  }

  async #publish(term: Term): Promise<void> {
    const { published } = this.#options;
    await this.#read();
    void this.#fetchOwn();
    for (let [told, toldMs] = ['', Number.NEGATIVE_INFINITY]; term.holds; await delay(lookEveryMs, term.signal)) {
      const sets = this.#setsOfLeader();
      const text = JSON.stringify([...sets]);
      const isDue = text !== told || performance.now() - toldMs >= publishEveryMs;
      // A mesh without such rules has no such object.
      if (!isDue || (sets.size === 0 && told === '')) continue;
      const fitting = fittingSets(sets);
      this.#tellLeftOut(fitting.leftOut);
      if (await this.#attempts.make(() => published.write(fitting.sets))) [told, toldMs] = [text, performance.now()];
      else await delay(readEveryMs, term.signal);
    }
  }

  /** Logs the issuers of sets that are left out, if they have changed; addresses may contain secrets and are not logged. */
  #tellLeftOut(names: readonly string[]): void {
    const text = JSON.stringify(names);
    if (names.length > 0 && text !== this.#leftOut) {
      const left = this.#rules.filter((rule) => names.includes(sourceName(rule)));
      const issuers = left.slice(0, mostNamed).map(({ issuer = '' }) => issuer.slice(0, longestNamed));
      this.#options.log.warn('keys of issuers are too large to be shared; each replica fetches them itself', {
        ...{ issuers, count: names.length },
      });
    }
    this.#leftOut = text;
  }

  #setsOfLeader(): PublishedSets {
    const { sets } = this.#options.published;
    const now = new Map<string, PublishedKeySet>();
    for (const rule of this.#rules) {
      const name = sourceName(rule);
      const set = this.#decided(rule, sets.get(name)) ?? sets.get(name);
      if (set !== undefined) now.set(name, set);
    }
    return now;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await delay(readEveryMs, signal);
      if (!signal.aborted && this.#rules.length > 0) await this.#read();
    }
  }

  async #read(): Promise<void> {
    const { published } = this.#options;
    this.#hasRead = (await this.#attempts.make(() => published.read())) || this.#hasRead;
    const text = JSON.stringify([...published.sets].map(([name, set]) => [name, set.text ?? '']));
    if (text === this.#text) return;
    this.#text = text;
    this.#listener();
  }
}
