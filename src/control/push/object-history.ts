import type { ReadClock } from '../../lib/clock.ts';
import type { ObjectChanges } from './object-versions.ts';

/** A version of an object, and the snapshots that have it. */
interface Era {
  readonly version: string;
  readonly from: number;
  /** The last one; infinite while it is in force. */
  until: number;
}

interface Replaced {
  readonly key: string;
  readonly era: Era;
  readonly atMs: number;
}

/** So many versions that are in force no more are known at most, however short the time in which they were replaced. */
const mostReplaced = 100_000;

/**
 * Remembers which version of each object a snapshot had; replaced versions only for some time. Snapshots have increasing
 * numbers.
 */
export class ObjectHistory {
  readonly #eras = new Map<string, Era[]>();
  /** The oldest one first. */
  readonly #replaced = new Set<Replaced>();
  readonly #retentionMs: number;
  readonly #clock: ReadClock;

  /** `retentionMs` is PILOT_DISTRIBUTION_HISTORY_RETENTION. */
  constructor(retentionMs: number, clock: ReadClock) {
    this.#retentionMs = retentionMs;
    this.#clock = clock;
  }

  /** Number of versions that are remembered, including the active ones. */
  get size(): number {
    return [...this.#eras.values()].reduce((sum, { length }) => sum + length, 0);
  }

  take(snapshot: number, { isWhole, changed, removed }: ObjectChanges): void {
    const named = new Set(isWhole ? changed.map(([key]) => key) : []);
    const gone = isWhole ? [...this.#eras.keys()].filter((key) => !named.has(key)) : removed;
    for (const key of gone) this.#end(key, snapshot);
    for (const [key, version] of changed) {
      if (this.inForce(key) === version) continue;
      this.#end(key, snapshot);
      const eras = this.#eras.get(key) ?? [];
      eras.push({ version, from: snapshot, until: Number.POSITIVE_INFINITY });
      this.#eras.set(key, eras);
    }
    this.#forget();
  }

  /** Undefined: there is no such object. */
  inForce(key: string): string | undefined {
    const last = this.#eras.get(key)?.at(-1);
    return last?.until === Number.POSITIVE_INFINITY ? last.version : undefined;
  }

  /** The first of the snapshots since which the version in force is that of the object; undefined: there is no such object. */
  inForceSince(key: string): number | undefined {
    const last = this.#eras.get(key)?.at(-1);
    return last?.until === Number.POSITIVE_INFINITY ? last.from : undefined;
  }

  /** Undefined: the snapshot had no such object, or that is too long ago. */
  versionAt(key: string, snapshot: number): string | undefined {
    this.#forget();
    return this.#eras.get(key)?.find(({ from, until }) => from <= snapshot && snapshot <= until)?.version;
  }

  #end(key: string, snapshot: number): void {
    const era = this.#eras.get(key)?.at(-1);
    if (era?.until !== Number.POSITIVE_INFINITY) return;
    era.until = snapshot - 1;
    this.#replaced.add({ key, era, atMs: this.#clock() });
  }

  #forget(): void {
    const since = this.#clock() - this.#retentionMs;
    for (const old of this.#replaced) {
      if (old.atMs > since && this.#replaced.size <= mostReplaced) return;
      this.#replaced.delete(old);
      const kept = this.#eras.get(old.key)?.filter((era) => era !== old.era) ?? [];
      if (kept.length === 0) this.#eras.delete(old.key);
      else this.#eras.set(old.key, kept);
    }
  }
}
