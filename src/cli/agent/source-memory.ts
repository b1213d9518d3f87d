import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { SourceFile } from '../../compiler/source/document.ts';
import type { ReadThrough } from '../../compiler/source/read.ts';
import { type Disk, systemDisk } from '../../identity/disk.ts';
import { stampOf } from '../../identity/survey.ts';

/**
 * A file that was written so short a time before it was read may be written again with the same size and time: clocks of
 * file systems tick in milliseconds, some in seconds.
 */
const settledMs = 2_000;

interface Kept {
  readonly stamp: string;
  readonly files: SourceFile[];
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

  constructor(disk = systemDisk, clock = Date.now) {
    this.#disk = disk;
    this.#clock = clock;
  }

  /** Begins a round of reading. */
  round(): ReadThrough {
    this.#kept = this.#next;
    this.#next = new Map();
    const isLocal = new Map<string, Promise<boolean>>();
    const look = async (path: string): Promise<Stats | undefined> => {
      const folder = dirname(path);
      const answer = isLocal.get(folder) ?? this.#disk.isLocal(folder);
      isLocal.set(folder, answer);
      return (await answer) ? this.#disk.statNow(path) : this.#disk.stat(path);
    };
    return async (path, read) => {
      const before = await look(path);
      const stamp = stampOf(before);
      const kept = this.#kept.get(path);
      if (kept?.stamp === stamp) {
        this.#next.set(path, kept);
        return kept.files;
      }
      const startedAt = this.#clock();
      const files = await read();
      const isSettled = before?.isFile() && startedAt - Math.max(before.mtimeMs, before.ctimeMs) > settledMs;
      // It may have been written while it was read.
      if (isSettled && files.length === 1 && stampOf(await look(path)) === stamp)
        this.#next.set(path, { stamp, files });
      return files;
    };
  }
}
