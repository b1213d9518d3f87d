import type { Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SourceFile } from '../source/document.ts';
import type { ReadThrough } from '../source/read.ts';
import { type Disk, promptFiles, systemDisk } from '../watch/disk.ts';
import { stampOf } from '../watch/survey.ts';
import { placeOf } from './folder-memory.ts';

/**
 * A file that was written so short a time before it was read may be written again with the same size and time: clocks of
 * file systems tick in milliseconds, some in seconds.
 */
const settledMs = 2_000;

/** After so long a file that never comes to rest is read as it is. */
const longestMovingMs = 2_000;

interface Kept {
  readonly stamp: string;
  readonly files: SourceFile[];
}

/** What was given last of a file. */
interface Given extends Kept {
  /** Of the file, whatever it holds. */
  readonly identity: string;
  /** Since when it has been written since; undefined: it has not. */
  readonly movingSinceMs?: number;
}

export interface SourceMemoryOptions {
  readonly disk?: Disk;
  /** Unix milliseconds. */
  readonly clock?: () => number;
  /**
   * A file that is written in place counts as it was until it has been still for so long, for half of what is written may be
   * sound. 0: it is read as it is. What takes the place of a file by a rename is read at once.
   */
  readonly stillMs?: number;
}

/** One reading of all inputs. */
export interface ReadingRound {
  readonly read: ReadThrough;
  /** Folders of the files that were read, each with its place, as `placeOf` gives it. */
  readonly places: ReadonlyMap<string, string>;
  /** Some file is given as it was, because it is being written. */
  readonly isMoving: boolean;
}

/**
 * What files held when they were last read: of a thousand files most often one has changed. A file is read again when its
 * identity, size or time differs, which is also what the watch goes by. What the last round did not ask for is forgotten.
 */
export class SourceMemory {
  readonly #disk: Disk;
  readonly #clock: () => number;
  readonly #stillMs: number;
  #kept: ReadonlyMap<string, Kept> = new Map();
  #next = new Map<string, Kept>();
  #given: ReadonlyMap<string, Given> = new Map();
  #nextGiven = new Map<string, Given>();

  constructor({ disk = systemDisk, clock = Date.now, stillMs = 0 }: SourceMemoryOptions = {}) {
    this.#disk = disk;
    this.#clock = clock;
    this.#stillMs = stillMs;
  }

  /** Begins a round of reading. */
  round(): ReadingRound {
    const places = new Map<string, string>();
    this.#kept = this.#next;
    this.#next = new Map();
    this.#given = this.#nextGiven;
    this.#nextGiven = new Map();
    let isMoving = false;
    const mounts = this.#disk.mounts();
    const answers = new Map<string, Promise<ReadonlySet<string>>>();
    // A file system that hangs must not hold up the thread on which the agent does all else.
    const promptIn = (folder: string): Promise<ReadonlySet<string>> => {
      const answer = answers.get(folder) ?? lookInto(folder);
      answers.set(folder, answer);
      return answer;
    };
    const lookInto = async (folder: string): Promise<ReadonlySet<string>> => {
      const place = await placeOf(folder, this.#disk, await mounts);
      if (place !== undefined) places.set(folder, place);
      return promptFiles(folder, this.#disk, await mounts);
    };
    const readThrough: ReadThrough = async (path, read) => {
      const isAtOnce = (await promptIn(dirname(path))).has(basename(path));
      const look = async (): Promise<Stats | undefined> =>
        isAtOnce ? this.#disk.statNow(path) : this.#disk.stat(path);
      const before = await look();
      const stamp = stampOf(before);
      const kept = this.#kept.get(path);
      if (kept?.stamp === stamp) {
        this.#next.set(path, kept);
        this.#give(path, before, kept);
        return kept.files;
      }
      const startedAt = this.#clock();
      let held = this.#heldOf(path, before, startedAt - this.#stillMs);
      const files = held?.files ?? (await read(isAtOnce));
      const isSettled = before?.isFile() && startedAt - Math.max(before.mtimeMs, before.ctimeMs) > settledMs;
      // It may have been written while it was read.
      const after = held === undefined && (isSettled || this.#stillMs > 0) ? await look() : before;
      if (stampOf(after) !== stamp) held = this.#heldOf(path, after, 0);
      else if (isSettled && held === undefined && files.length === 1) this.#next.set(path, { stamp, files });
      if (held === undefined) this.#give(path, before, { stamp, files });
      else isMoving = true;
      return held?.files ?? files;
    };
    return {
      ...{ read: readThrough, places },
      get isMoving() {
        return isMoving;
      },
    };
  }

  #give(path: string, stats: Stats | undefined, kept: Kept): void {
    if (this.#stillMs > 0 && stats !== undefined) this.#nextGiven.set(path, { ...kept, identity: identityOf(stats) });
  }

  /** What was given of the file, which has been written in place after a moment, and not for too long; it is given again. */
  #heldOf(path: string, stats: Stats | undefined, sinceMs: number): Given | undefined {
    const given = this.#given.get(path);
    if (this.#stillMs === 0 || given === undefined || stats === undefined) return undefined;
    if (given.identity !== identityOf(stats) || given.stamp === stampOf(stats) || stats.mtimeMs <= sinceMs)
      return undefined;
    const nowMs = this.#clock();
    const { movingSinceMs = nowMs } = given;
    if (nowMs - movingSinceMs > longestMovingMs) return undefined;
    const held = { ...given, movingSinceMs };
    this.#nextGiven.set(path, held);
    return held;
  }
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
