import { Election, type ElectionState, type ElectionTimes, type Term } from '../../kubernetes/election.ts';
import type { Lease } from '../../kubernetes/lease.ts';
import { delay, within } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';

/** Work that only one replica may do. It ends when the term's signal fires, and asks `term.holds` before each write. */
export type LeaderWork = (term: Term) => Promise<void>;

export interface LeadershipOptions {
  readonly lease: Pick<Lease, 'read' | 'write'>;
  readonly identity: string;
  readonly log: PlainLog;
  readonly times?: ElectionTimes;
}

/** Work that does not end with its term may take so long; then the Lease is left to expire. */
const longestEndMs = 3_000;

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** Runs, in the one replica that leads, what only one may do. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #election: Election;
  readonly #works: { readonly name: string; readonly work: LeaderWork }[] = [];
  readonly #running = new Set<Promise<void>>();
  #term: Term | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    const { log, ...rest } = options;
    this.#election = new Election({
      ...rest,
      onTerm: (term) => this.#begin(term),
      onProblem: (reason) => log.warn('no leader can be elected now; configuration is served all the same', { reason }),
    });
  }

  get state(): ElectionState {
    return this.#election.state;
  }

  /**
   * Runs `work` in each term of this replica, from now on. Work that throws is begun again while the term lasts, after a pause
   * that grows; work that resolves is done until the next term.
   */
  whileLeading(name: string, work: LeaderWork): void {
    this.#works.push({ name, work });
    if (this.#term?.holds) this.#run(name, work, this.#term);
  }

  start(): void {
    this.#election.start();
  }

  /** Ends the term, and gives the Lease back once all work has ended. */
  async close(): Promise<void> {
    const { log } = this.#options;
    await within(longestEndMs, this.#election.close());
    const hasEnded = await within(
      longestEndMs,
      Promise.all(this.#running).then(() => true),
    );
    if (!hasEnded) return log.warn('work of the leader has not ended; its lease runs out by itself');
    try {
      await this.#election.release();
    } catch (error) {
      log.warn('the lease of the leader is not given back; it runs out by itself', {
        reason: (error as Error).message,
      });
    }
  }

  #begin(term: Term): void {
    const { log, identity } = this.#options;
    this.#term = term;
    log.info('this replica leads', { identity });
    term.signal.addEventListener('abort', () => log.info('this replica leads no more', { identity }), { once: true });
    for (const { name, work } of this.#works) this.#run(name, work, term);
  }

  #run(name: string, work: LeaderWork, term: Term): void {
    const running = this.#repeat(name, work, term).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #repeat(name: string, work: LeaderWork, term: Term): Promise<void> {
    for (let pauseMs = firstPauseMs; term.holds; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await work(term);
      } catch (error) {
        if (term.signal.aborted) return;
        const fields = { work: name, reason: (error as Error).message };
        this.#options.log.warn('work of the leader failed; it is tried again', fields);
      }
      await delay(pauseMs * (0.5 + Math.random() / 2), term.signal);
    }
  }
}
