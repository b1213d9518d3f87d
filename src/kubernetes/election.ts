import { uptime } from 'node:os';
import { delay } from '../lib/abort.ts';
import type { ReadClock } from '../lib/clock.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { Lease, LeaseRecord, StoredLease } from './lease.ts';

export interface ElectionOptions {
  readonly lease: Pick<Lease, 'read' | 'write'>;
  /** Of this process alone; it is written into the Lease. */
  readonly identity: string;
  readonly onTerm: (term: Term) => void;
  /** Why nobody can be elected now; told once. */
  readonly onProblem: (text: string) => void;
  readonly times?: ElectionTimes;
  /** Milliseconds that go on while the machine sleeps, and that nobody sets. */
  readonly clock?: ReadClock;
}

/** In milliseconds. */
export interface ElectionTimes {
  /** Others wait so long after the last renewal that they saw. */
  readonly durationMs: number;
  /** A leader stops so long after the beginning of its last renewal that succeeded; shorter than `durationMs`. */
  readonly renewWithinMs: number;
  readonly retryMs: number;
}

/** A period in which this process leads. */
export interface Term {
  /** Fires when it ends. */
  readonly signal: AbortSignal;
  /** Whether it lasts, by the clock: a process that was stopped knows it before its timers do. Asked before each write. */
  readonly holds: boolean;
}

export interface ElectionState {
  readonly identity: string;
  readonly leads: boolean;
  /** Who holds the Lease, as far as is known; undefined: nobody. */
  readonly leader: string | undefined;
  readonly transitions: number;
  readonly problem: string | undefined;
}

/** Those of client-go. */
const usualTimes: ElectionTimes = { durationMs: 15_000, renewWithinMs: 10_000, retryMs: 2_000 };

const uptimeMs: ReadClock = () => uptime() * 1_000;

interface Own {
  readonly ended: AbortController;
  /** When the last renewal that succeeded was sent. */
  renewedMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Elects one of several processes by a Lease. A candidate waits for the whole duration after it saw the Lease change, by its
 * own clock. The leader counts from before it sent the renewal, and stops earlier. So there are never two leaders, however
 * wrong the clocks are.
 */
export class Election {
  readonly #options: ElectionOptions;
  readonly #times: ElectionTimes;
  readonly #clock: ReadClock;
  readonly #closed = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #seen: { readonly lease: StoredLease; readonly atMs: number } | undefined;
  #own: Own | undefined;
  #problem: string | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#times = options.times ?? usualTimes;
    this.#clock = options.clock ?? uptimeMs;
  }

  get state(): ElectionState {
    const { identity } = this.#options;
    const { holder = '', transitions = 0 } = this.#seen?.lease ?? {};
    return {
      ...{ identity, leads: this.#holds(this.#own), leader: holder === '' ? undefined : holder },
      ...{ transitions, problem: this.#problem },
    };
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Stands for election no more; the term ends. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#endTerm();
    await this.#running;
  }

  /** Gives the Lease back, after `close` and after all that was written in the term. Others need not wait for its end. */
  async release(): Promise<void> {
    const lease = this.#seen?.lease;
    if (lease === undefined || lease.holder !== this.#options.identity) return;
    const now = new Date();
    const given = { ...lease, holder: '', durationMs: 1_000, acquiredAt: now, renewedAt: now };
    this.#see(await this.#options.lease.write(given, lease.revision, this.#times.retryMs));
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        await this.#turn();
        this.#problem = undefined;
      } catch (error) {
        if (!(error instanceof KubernetesError)) throw error;
        if (this.#problem === undefined) this.#options.onProblem(error.message);
        this.#problem = error.message;
      }
      await delay(this.#pauseMs(), signal);
    }
  }

  /** A leader renews what it wrote last; only where that is not there any more, and as a candidate, it looks first. */
  async #turn(): Promise<void> {
    const known = this.#holds(this.#own) ? this.#seen?.lease : undefined;
    if (known !== undefined && (await this.#write(known))) return;
    const lease = await this.#options.lease.read(this.#deadlineMs);
    this.#see(lease);
    if (lease !== undefined && lease.holder !== this.#options.identity) {
      this.#endTerm();
      if (lease.holder !== '' && this.#msToEnd() > 0) return;
    }
    await this.#write(lease);
  }

  async #write(before: StoredLease | undefined): Promise<boolean> {
    const { identity, lease } = this.#options;
    const isOurs = before?.holder === identity;
    const [sentMs, now] = [this.#clock(), new Date()];
    const record: LeaseRecord = {
      ...{ holder: identity, durationMs: this.#times.durationMs, renewedAt: now },
      acquiredAt: isOurs ? before.acquiredAt : now,
      transitions: before === undefined ? 0 : before.transitions + (isOurs ? 0 : 1),
    };
    const written = await lease.write(record, before?.revision, this.#deadlineMs);
    if (written === undefined) return false;
    this.#see(written);
    this.#renewed(sentMs);
    return true;
  }

  #see(lease: StoredLease | undefined): void {
    if (lease === undefined) this.#seen = undefined;
    else if (lease.revision !== this.#seen?.lease.revision) this.#seen = { lease, atMs: this.#clock() };
  }

  #renewed(sentMs: number): void {
    if (this.#closed.signal.aborted) return;
    // An answer that comes too late begins another term: in between this process did not lead.
    if (!this.#holds(this.#own)) this.#endTerm();
    const before = this.#own;
    const own = before ?? { ended: new AbortController(), renewedMs: sentMs, timer: undefined };
    own.renewedMs = sentMs;
    this.#own = own;
    this.#watchEnd(own);
    if (before !== undefined || !this.#holds(own)) return;
    const holds = (): boolean => this.#holds(own);
    this.#options.onTerm({
      signal: own.ended.signal,
      get holds() {
        return holds();
      },
    });
  }

  #holds(own: Own | undefined): boolean {
    if (own === undefined || own.ended.signal.aborted) return false;
    return this.#clock() - own.renewedMs < this.#times.renewWithinMs;
  }

  #watchEnd(own: Own): void {
    clearTimeout(own.timer);
    const leftMs = own.renewedMs + this.#times.renewWithinMs - this.#clock();
    own.timer = setTimeout(() => {
      if (this.#own === own && !this.#holds(own)) this.#endTerm();
      else if (this.#own === own) this.#watchEnd(own);
    }, leftMs);
  }

  #endTerm(): void {
    const own = this.#own;
    this.#own = undefined;
    clearTimeout(own?.timer);
    own?.ended.abort();
  }

  /** Until the holder's time is over, as it was last seen. */
  #msToEnd(): number {
    if (this.#seen === undefined) return 0;
    const { lease, atMs } = this.#seen;
    return atMs + (lease.durationMs > 0 ? lease.durationMs : this.#times.durationMs) - this.#clock();
  }

  /** Candidates do not all ask at once, and look more often than the leader writes; the first look after the end comes soon. */
  #pauseMs(): number {
    const { retryMs } = this.#times;
    if (this.#holds(this.#own)) return retryMs;
    const pauseMs = retryMs * (0.5 + Math.random() / 4);
    const leftMs = this.#msToEnd();
    return leftMs > 0 ? Math.min(pauseMs, leftMs + Math.random() * (retryMs / 4)) : pauseMs;
  }

  /** Deadline of one request, so that a leader without an answer has time for a second attempt. */
  get #deadlineMs(): number {
    return this.#times.renewWithinMs / 2;
  }
}
