import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { compareStrings } from '../lib/sort.ts';
import { type Disk, systemDisk } from './disk.ts';
import type { MountPoints } from './mount-points.ts';

/** What stands below some paths at one moment. */
export interface Survey {
  /** By name: a text that differs when what the name stands for does. */
  readonly entries: ReadonlyMap<string, string>;
  /** Folders in which a change may happen, by name; the text differs when another folder has taken the name. */
  readonly folders: ReadonlyMap<string, string>;
  /**
   * What may become another without an event in any of the folders, by name, as `stampOf` gives it: the paths
   * themselves (a folder above may be replaced), links to other places, files that are mounts or have a further name.
   */
  readonly unheard: ReadonlyMap<string, string>;
  /** Whether events tell of all else. */
  readonly isLocal: boolean;
}

/** Deeper folders are not followed: a link may lead to the root of the file system. */
const deepestFolder = 32;

/** So many files are asked for at once: Node's pool has four threads, which others need too. */
const batch = 16;
/** So many are looked at before others get their turn: about a millisecond. */
const localBatch = 256;

/**
 * Looks at files, and at folders with all below them; reads none. Each folder is looked into once, however many links
 * lead to it, so that a loop of links ends. A path that is absent is waited for in the nearest folder that exists.
 */
export async function survey(paths: readonly string[], disk: Disk = systemDisk): Promise<Survey> {
  const surveyor = new Surveyor(disk);
  for (const path of paths) await surveyor.addRoot(path);
  await surveyor.addLinks();
  return surveyor;
}

/** What a name that is asked for by itself stands for. */
export function stampOf(stats: Stats | undefined): string {
  if (stats === undefined) return 'absent';
  return stats.isDirectory() ? `folder ${identity(stats)}` : fileStamp(stats);
}

class Surveyor implements Survey {
  readonly entries = new Map<string, string>();
  readonly folders = new Map<string, string>();
  readonly unheard = new Map<string, string>();
  isLocal = true;
  readonly #disk: Disk;
  readonly #visited = new Set<string>();
  /** By the number of the file system. */
  readonly #local = new Map<number, boolean>();
  #mounts: MountPoints | undefined;
  readonly #links: { readonly path: string; readonly stamp: string; readonly target: string }[] = [];

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  async addRoot(path: string): Promise<void> {
    await this.#addNearestFolder(dirname(path));
    const stats = await this.#disk.stat(path);
    this.unheard.set(path, stampOf(stats));
    await this.#add(path, stats, 0);
  }

  /** Adds links to files: inotify reports a change of the target only if the target's folder is watched. */
  async addLinks(): Promise<void> {
    const followed = new Set(this.folders.values());
    const isFollowed = new Map<string, boolean>();
    for (const { path, stamp, target } of this.#links) {
      const folder = dirname(target);
      if (!isFollowed.has(folder)) {
        const stats = await this.#disk.stat(folder);
        isFollowed.set(folder, stats !== undefined && followed.has(identity(stats)));
      }
      if (!isFollowed.get(folder)) this.unheard.set(path, stamp);
    }
  }

  async #addNearestFolder(folder: string): Promise<void> {
    const found = await this.#disk.stat(folder);
    if (found?.isDirectory()) await this.#addFolder(folder, found);
    else if (dirname(folder) !== folder) await this.#addNearestFolder(dirname(folder));
  }

  async #addFolder(path: string, stats: Stats): Promise<boolean> {
    this.folders.set(path, identity(stats));
    const isLocal = this.#local.get(stats.dev) ?? (await this.#disk.isLocal(path));
    this.#local.set(stats.dev, isLocal);
    this.isLocal &&= isLocal;
    return isLocal;
  }

  async #add(path: string, stats: Stats | undefined, depth: number): Promise<void> {
    if (!stats?.isDirectory()) {
      const target = stats === undefined ? undefined : await this.#disk.real(path);
      this.#addFile(path, stats, target);
      if (stats !== undefined && target !== undefined) this.#links.push({ path, stamp: fileStamp(stats), target });
      return;
    }
    const key = `${stats.dev}:${stats.ino}`;
    this.entries.set(path, `folder ${key}`);
    const isLocal = await this.#addFolder(path, stats);
    if (depth >= deepestFolder || this.#visited.has(key)) return;
    this.#visited.add(key);
    const children = await this.#disk.list(path);
    // Sorted: of several names of one folder it is always the same that is looked into.
    children.sort((a, b) => compareStrings(a.name, b.name));
    const files = children.filter((child) => child.isFile()).map(({ name }) => name);
    this.#mounts ??= await this.#disk.mounts();
    const mounted = await this.#mounts.among(files, () => this.#disk.real(path));
    const plain = files.filter((name) => !mounted.has(name)).map((name) => join(path, name));
    await (isLocal ? this.#addFilesNow(plain, stats.dev) : this.#addFiles(plain));
    for (const child of children) {
      if (child.isFile() && !mounted.has(child.name)) continue;
      const name = join(path, child.name);
      const found = await this.#disk.stat(name);
      const isElsewhere = child.isSymbolicLink() ? found?.isDirectory() !== false : child.isFile();
      if (isElsewhere) this.unheard.set(name, stampOf(found));
      await this.#add(name, found, depth + 1);
    }
  }

  async #addFiles(files: readonly string[]): Promise<void> {
    for (let i = 0; i < files.length; i += batch) {
      const some = files.slice(i, i + batch);
      const found = await Promise.all(some.map((path) => this.#disk.stat(path)));
      some.forEach((path, n) => void this.#addFile(path, found[n]));
    }
  }

  /** Thread and promise of each stat would cost ten times what the stat does. */
  async #addFilesNow(files: readonly string[], folderDevice: number): Promise<void> {
    for (const [i, path] of files.entries()) {
      if (i > 0 && i % localBatch === 0) await turn();
      const stats = this.#disk.statNow(path);
      this.#addFile(path, stats);
      // Who writes by another name of the file is heard in the folder of that name alone.
      const isHeard = stats === undefined || (stats.dev === folderDevice && stats.nlink === 1);
      if (!isHeard) this.unheard.set(path, fileStamp(stats));
    }
  }

  #addFile(path: string, stats: Stats | undefined, target = path): void {
    this.entries.set(path, stats === undefined ? 'absent' : `${fileStamp(stats)} ${target}`);
  }
}

function fileStamp({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** A new folder may get the number of one that was removed, but not its time of birth. */
function identity({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino} ${birthtimeMs}`;
}

/** How many names stand for something else than before; folders do not count. */
export function countChanges(before: Survey, now: Survey): number {
  let count = 0;
  for (const [name, text] of now.entries) if (!isFolder(text) && before.entries.get(name) !== text) count++;
  for (const [name, text] of before.entries) if (!isFolder(text) && !now.entries.has(name)) count++;
  return count;
}

/** Whether both surveys found the same. */
export function isSameSurvey(a: Survey, b: Survey): boolean {
  if (a.entries.size !== b.entries.size) return false;
  for (const [name, text] of a.entries) if (b.entries.get(name) !== text) return false;
  return true;
}

function isFolder(text: string): boolean {
  return text.startsWith('folder ');
}
