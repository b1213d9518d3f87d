import type { DistributionTracker } from '../push/distribution-tracker.ts';
import type { Reach } from './desired-conditions.ts';
import type { ReplicaReport } from './replica-reports.ts';
import type { ReachSource } from './status-writer.ts';

type Tracker = Pick<DistributionTracker, 'progress' | 'numberOf' | 'inForceSince'>;

/** So many streams have what was in force at a snapshot of ours. */
interface Reached {
  readonly number: number;
  readonly streams: number;
}

/**
 * Counts the proxies of all replicas that have the active version of an object. Other replicas report digests of inputs,
 * which are equal on each replica. A stream at inputs that were never compiled here counts for the last inputs before that
 * were. So the number may be too small while replicas differ, and is never too large.
 */
export class FleetReach implements ReachSource {
  readonly #tracker: Tracker;
  /** Of the other replicas. */
  readonly #reports: () => Promise<readonly ReplicaReport[]>;
  #rows: readonly Reached[] = [];
  /** Of each other replica: the newest of our snapshots that it serves. */
  #newest: readonly number[] = [];
  #text = '';

  constructor(tracker: Tracker, reports: () => Promise<readonly ReplicaReport[]>) {
    this.#tracker = tracker;
    this.#reports = reports;
  }

  async refresh(): Promise<boolean> {
    const others = (await this.#reports()).map((report) => this.#rowsOf(report));
    this.#rows = [...this.#tracker.progress(), ...others.flat()];
    this.#newest = others.map((rows) => rows.at(-1)?.number ?? 0);
    const before = this.#text;
    this.#text = JSON.stringify([this.#rows, this.#newest]);
    return this.#text !== before;
  }

  of(key: string): Reach {
    const since = this.#tracker.inForceSince(key);
    let [proxies, connected] = [0, 0];
    for (const { number, streams } of this.#rows) {
      connected += streams;
      if (since !== undefined && number >= since) proxies += streams;
    }
    // What a replica told before it served the version is silent about streams that have come since.
    const isKnownToAll = since !== undefined && this.#newest.every((number) => number >= since);
    return { proxies, connected, isKnownToAll };
  }

  #rowsOf({ progress }: ReplicaReport): readonly Reached[] {
    let last = 0;
    return progress.map(([inputs, streams]) => {
      last = this.#tracker.numberOf(inputs) ?? last;
      return { number: last, streams };
    });
  }
}
