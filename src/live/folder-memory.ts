import { dirname } from 'node:path';
import type { SourceFile } from '../source/document.ts';
import { SourceError } from '../source/find.ts';
import { type Disk, systemDisk } from '../watch/disk.ts';
import type { MountPoints } from '../watch/mount-points.ts';

/** As `placeOf` gives it; undefined where there is no folder of that name. */
type PlaceOf = (folder: string) => Promise<string | undefined>;

/**
 * On which mounts the folders of inputs were when they were last in force. Where a file system is unmounted, an
 * empty folder stays behind, which looks as if somebody had removed every policy on purpose.
 */
export class FolderMemory {
  readonly #placeOf: PlaceOf;
  #accepted: readonly (readonly [folder: string, place: string])[];

  /** `accepted` is what a memory before this one knew. */
  constructor(
    accepted: readonly (readonly [folder: string, place: string])[] = [],
    placeNow: PlaceOf = async (folder) => placeOf(folder, systemDisk, await systemDisk.mounts()),
  ) {
    this.#accepted = accepted;
    this.#placeOf = placeNow;
  }

  /** Folders that held files, each with its place. */
  get accepted(): readonly (readonly [folder: string, place: string])[] {
    return this.#accepted;
  }

  /** The files of these folders are in force. */
  accept(places: ReadonlyMap<string, string>): void {
    this.#accepted = [...places];
  }

  /** Why the files that are there now are not all: a folder that held some has none, and is another mount. */
  async findUnmounted(files: readonly SourceFile[]): Promise<SourceError | undefined> {
    const present = new Set(files.map(({ path }) => dirname(path)));
    for (const [folder, place] of this.#accepted) {
      if (present.has(folder)) continue;
      const now = await this.#nearestPlace(folder);
      if (now === undefined || now === place) continue;
      return new SourceError(
        `the folder "${folder}" has no input any more and is another mount than before: it was unmounted. ` +
          'Mount it again; if its objects are to end, put a file with "kind: List" and "items: []" into it',
      );
    }
    return undefined;
  }

  /** Of a folder that went with the file system that held it, the one above tells. */
  async #nearestPlace(folder: string): Promise<string | undefined> {
    const place = await this.#placeOf(folder);
    if (place !== undefined || dirname(folder) === folder) return place;
    return this.#nearestPlace(dirname(folder));
  }
}

/** Of which file system which part a folder is in; a mount again of the same part is the same place. */
export async function placeOf(folder: string, disk: Disk, mounts: MountPoints): Promise<string | undefined> {
  // Not those of a file: on an overlay, files may have the number of the layer that they are in.
  const stats = await disk.stat(folder);
  return stats?.isDirectory() ? `${stats.dev} ${mounts.partAt(await disk.real(folder))}` : undefined;
}
