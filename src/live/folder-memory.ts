import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SourceFile } from '../source/document.ts';
import { SourceError } from '../source/find.ts';

/** The number of a folder's file system; undefined where there is no folder of that name. */
type DeviceOf = (folder: string) => Promise<number | undefined>;

/**
 * On which file systems the folders of inputs were when they were last in force. Where a file system is unmounted, an
 * empty folder stays behind, which looks as if somebody had removed every policy on purpose.
 */
export class FolderMemory {
  readonly #deviceOf: DeviceOf;
  #accepted: readonly (readonly [folder: string, device: number])[];

  /** `accepted` is what a memory before this one knew. */
  constructor(
    accepted: readonly (readonly [folder: string, device: number])[] = [],
    deviceOf: DeviceOf = systemDevice,
  ) {
    this.#accepted = accepted;
    this.#deviceOf = deviceOf;
  }

  /** Folders that held files, each with the number of its file system. */
  get accepted(): readonly (readonly [folder: string, device: number])[] {
    return this.#accepted;
  }

  /** The files of these folders are in force. */
  accept(devices: ReadonlyMap<string, number>): void {
    this.#accepted = [...devices];
  }

  /** Why the files that are there now are not all: a folder that held some has none, and is on another file system. */
  async findUnmounted(files: readonly SourceFile[]): Promise<SourceError | undefined> {
    const present = new Set(files.map(({ path }) => dirname(path)));
    for (const [folder, device] of this.#accepted) {
      if (present.has(folder)) continue;
      const now = await this.#nearestDevice(folder);
      if (now === undefined || now === device) continue;
      return new SourceError(
        `the folder "${folder}" has no input any more and is on another file system than before: it was unmounted. ` +
          'Mount it again; if its objects are to end, put a file with "kind: List" and "items: []" into it',
      );
    }
    return undefined;
  }

  /** Of a folder that went with the file system that held it, the one above tells. */
  async #nearestDevice(folder: string): Promise<number | undefined> {
    const device = await this.#deviceOf(folder);
    if (device !== undefined || dirname(folder) === folder) return device;
    return this.#nearestDevice(dirname(folder));
  }
}

function systemDevice(folder: string): Promise<number | undefined> {
  const device = (stats: Stats): number | undefined => (stats.isDirectory() ? stats.dev : undefined);
  return stat(folder).then(device, () => undefined);
}
