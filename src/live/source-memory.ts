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

interface Kept {
  readonly stamp: string;
  readonly files: SourceFile[];
}

export interface SourceMemoryOptions {
  readonly disk?: Disk;
  /** Unix milliseconds. */
  readonly clock?: () => number;
}

/** One reading of all inputs. */
export interface ReadingRound {
  readonly read: ReadThrough;
  /** Folders of the files that were read, each with its place, as `placeOf` gives it. */
  readonly places: ReadonlyMap<string, string>;
  /**
   * Paths of files of the last round that was taken that have been written in place after a moment, in Unix milliseconds: half
   * of what is written may be sound. What took the place of a file by a rename was written before.
   */
  writtenAfter(moment: number): readonly string[];
  /** What was read is used: files of later rounds are compared with it. */
  take(): void;
}

/**
 * What files held when they were last read: of a thousand files most often one has changed. A file is read again when its
 * identity, size or time differs, which is also what the watch goes by. What the last round did not ask for is forgotten.
 */
export class SourceMemory {
  readonly #disk: Disk;
  readonly #clock: () => number;
  #kept: ReadonlyMap<string, Kept> = new Map();
  #next = new Map<string, Kept>();
  #taken: ReadonlyMap<string, Stats> = new Map();

  constructor({ disk = systemDisk, clock = Date.now }: SourceMemoryOptions = {}) {
    this.#disk = disk;
    this.#clock = clock;
  }

  /** Begins a round of reading. */
  round(): ReadingRound {
    const places = new Map<string, string>();
    this.#kept = this.#next;
    this.#next = new Map();
    const seen = new Map<string, Stats>();
    const see = (path: string, stats: Stats | undefined): void => {
      if (stats !== undefined) seen.set(path, stats);
    };
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
        see(path, before);
        this.#next.set(path, kept);
        return kept.files;
      }
      const startedAt = this.#clock();
      const files = await read(isAtOnce);
      // It may have been written while it was read.
      const after = await look();
      see(path, after);
      const isSettled = before?.isFile() && startedAt - Math.max(before.mtimeMs, before.ctimeMs) > settledMs;
      if (isSettled && stampOf(after) === stamp && files.length === 1) this.#next.set(path, { stamp, files });
      return files;
    };
    return {
      ...{ read: readThrough, places },
      writtenAfter: (moment) =>
        [...seen].flatMap(([path, stats]) => (this.#isWritten(path, stats, moment) ? [path] : [])),
      take: () => {
        this.#taken = seen;
      },
    };
  }

  #isWritten(path: string, stats: Stats, moment: number): boolean {
    const taken = stats.mtimeMs > moment ? this.#taken.get(path) : undefined;
    if (taken === undefined || identityOf(taken) !== identityOf(stats)) return false;
    return stampOf(taken) !== stampOf(stats);
  }
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
