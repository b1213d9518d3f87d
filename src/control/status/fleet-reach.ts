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
 * How many proxies of all replicas have the version of an object that is in force. What other replicas tell are digests of
 * inputs, which are the same on each of them; a stream at inputs that were never compiled here counts for the last ones
 * before that were. So the number may be too small while replicas differ, and is never too large.
 */
export class FleetReach implements ReachSource {
  readonly #tracker: Tracker;
  /** Of the other replicas. */
  readonly #reports: () => Promise<readonly ReplicaReport[]>;
  #rows: readonly Reached[] = [];
  #text = '';

  constructor(tracker: Tracker, reports: () => Promise<readonly ReplicaReport[]>) {
    this.#tracker = tracker;
    this.#reports = reports;
  }

  async refresh(): Promise<boolean> {
    const others = await this.#reports();
    this.#rows = [...this.#tracker.progress(), ...others.flatMap((report) => this.#rowsOf(report))];
    const before = this.#text;
    this.#text = JSON.stringify(this.#rows);
    return this.#text !== before;
  }

  of(key: string): Reach {
    const since = this.#tracker.inForceSince(key);
    let [proxies, connected] = [0, 0];
    for (const { number, streams } of this.#rows) {
      connected += streams;
      if (since !== undefined && number >= since) proxies += streams;
    }
    return { proxies, connected };
  }

  #rowsOf({ progress }: ReplicaReport): readonly Reached[] {
    let last = 0;
    return progress.map(([inputs, streams]) => {
      last = this.#tracker.numberOf(inputs) ?? last;
      return { number: last, streams };
    });
  }
}
