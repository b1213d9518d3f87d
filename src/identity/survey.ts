import type { Dirent, Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compareStrings } from '../lib/sort.ts';

/** What stands below some paths at one moment. */
export interface Survey {
  /** By name: a text that differs when what the name stands for does. */
  readonly entries: ReadonlyMap<string, string>;
  /** Folders in which a change may happen, by name; the text differs when another folder has taken the name. */
  readonly folders: ReadonlyMap<string, string>;
}

/** Deeper folders are not followed: a link may lead to the root of the file system. */
const deepestFolder = 32;

/** So many files are asked for at once: Node's pool has four threads, which others need too. */
const batch = 16;

/**
 * Looks at files, and at folders with all below them; reads none. Each folder is looked into once, however many links
 * lead to it, so that a loop of links ends. A path that is absent is waited for in the nearest folder that exists.
 */
export async function survey(paths: readonly string[]): Promise<Survey> {
  const found = { entries: new Map<string, string>(), folders: new Map<string, string>(), visited: new Set<string>() };
  for (const path of paths) {
    await addNearestFolder(dirname(path), found.folders);
    await add(path, true, 0, found);
  }
  return found;
}

interface Found {
  readonly entries: Map<string, string>;
  readonly folders: Map<string, string>;
  readonly visited: Set<string>;
}

async function addNearestFolder(folder: string, folders: Map<string, string>): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) folders.set(folder, identity(found));
  else if (dirname(folder) !== folder) await addNearestFolder(dirname(folder), folders);
}

async function add(path: string, mayBeLink: boolean, depth: number, found: Found): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) {
    found.entries.set(path, 'absent');
    return;
  }
  if (!stats.isDirectory()) {
    const target = mayBeLink ? await realpath(path).catch(() => path) : path;
    found.entries.set(path, `${stats.dev}:${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${target}`);
    return;
  }
  found.entries.set(path, `folder ${stats.dev}:${stats.ino}`);
  found.folders.set(path, identity(stats));
  const key = `${stats.dev}:${stats.ino}`;
  if (depth >= deepestFolder || found.visited.has(key)) return;
  found.visited.add(key);
  const children = await readdir(path, { withFileTypes: true }).catch((): Dirent[] => []);
  // Sorted: of several names of one folder it is always the same that is looked into.
  children.sort((a, b) => compareStrings(a.name, b.name));
  const files = children.filter((child) => child.isFile());
  for (let i = 0; i < files.length; i += batch) {
    await Promise.all(files.slice(i, i + batch).map(({ name }) => add(join(path, name), false, depth + 1, found)));
  }
  for (const child of children) if (!child.isFile()) await add(join(path, child.name), true, depth + 1, found);
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
