import { lstat, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import { claimFolder } from './claim.ts';
import { manifestName, manifestText, readManifest } from './manifest.ts';
import { OutputError } from './output-error.ts';
import type { OutputFile } from './plan.ts';

export interface WriteOptions {
  /** Which files of earlier runs are this run's to remove; the others stay and stay listed. */
  readonly isOurs: (path: string) => boolean;
  /** Write over files that no earlier run made. */
  readonly force?: boolean;
  /** Gives up, between two files, with its reason; only files of this run that are in place already stay. */
  readonly stop?: AbortSignal;
  /** How long to wait for another run that writes to the folder, in milliseconds (default 30,000). */
  readonly waitMs?: number;
}

export interface WriteResult {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** Longer than another run takes to write a big mesh. */
const usualWaitMs = 30_000;

/** Others may read what is compiled, as far as the umask lets them. */
const openMode = 0o777;

/**
 * Writes the files below `folder`: all of them beside their places first, then each by rename in the order given, so
 * that a reader sees an old file or a new one. Then what earlier runs wrote and this one does not is removed. Waits while
 * another run writes to the folder. Nothing is touched when a file stands in the way that is not ours.
 */
export async function writeFiles(
  folder: string,
  files: Iterable<OutputFile>,
  { isOurs, force = false, stop, waitMs = usualWaitMs }: WriteOptions,
): Promise<WriteResult> {
  try {
    await refuseFile(folder);
    await makeFolder(folder, openMode);
    const stage = await claimFolder(folder, waitMs, stop);
    try {
      const earlier = await readManifest(folder);
      const staged = await stageFiles(folder, stage, untilAborted(files, stop), force ? undefined : earlier);
      const made = new Set(staged.paths);
      const stale = [...earlier].filter((path) => !made.has(path) && isOurs(path));
      // Listed before they are there: a run that is cut short leaves nothing behind that the next one does not know.
      await replace(stage, folder, manifestName, manifestText([...earlier, ...made]));
      const folders = new Set<string>();
      for (const path of untilAborted(staged.changed, stop)) await place(stage, folder, path, folders);
      for (const path of untilAborted(stale, stop)) await remove(folder, path);
      const kept = [...earlier].filter((path) => !isOurs(path));
      await replace(stage, folder, manifestName, manifestText([...made, ...kept]));
      const written = staged.changed.length;
      return { written, unchanged: made.size - written, removed: stale.length };
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
  } catch (cause) {
    if (cause instanceof OutputError || !isSystemError(cause)) throw cause;
    throw new OutputError('output-unwritable', `cannot write to "${folder}"`, { cause });
  }
}

function* untilAborted<T>(items: Iterable<T>, stop: AbortSignal | undefined): Generator<T> {
  for (const item of items) {
    stop?.throwIfAborted();
    yield item;
  }
}

/** Throws when `folder`, or what it should be in, is there and is no folder. */
async function refuseFile(folder: string): Promise<void> {
  for (let path = folder; ; path = dirname(path)) {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory() || (stats === undefined && dirname(path) === path)) return;
    if (stats === undefined) continue;
    const message = `cannot write to "${folder}": "${path}" is a file, expected a folder; name another one, or remove the file`;
    throw new OutputError('output-unwritable', message);
  }
}

async function stageFiles(
  folder: string,
  stage: string,
  files: Iterable<OutputFile>,
  earlier: ReadonlySet<string> | undefined,
): Promise<{ paths: string[]; changed: string[] }> {
  const paths: string[] = [];
  const changed: string[] = [];
  const folders = new Set<string>();
  for (const { path, text } of files) {
    paths.push(path);
    const present = await readPresent(join(folder, path), Buffer.byteLength(text));
    if (present === text) continue;
    if (present !== undefined && earlier !== undefined && !earlier.has(path)) {
      throw new OutputError('output-not-ours', `"${join(folder, path)}" was not written by this program (--force)`);
    }
    await makeOnce(dirname(join(stage, path)), folders);
    await writeFile(join(stage, path), text);
    changed.push(path);
  }
  return { paths, changed };
}

/**
 * Content of the file at `path` when it may equal a text of `size` bytes; some other text when it cannot; undefined when
 * nothing is there.
 */
async function readPresent(path: string, size: number): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isFile() && stats.size === size ? await readFile(path, 'utf8') : '';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function makeOnce(path: string, made: Set<string>): Promise<void> {
  if (made.has(path)) return;
  await makeFolder(path, openMode);
  made.add(path);
}

async function place(stage: string, folder: string, path: string, folders: Set<string>): Promise<void> {
  await makeOnce(dirname(join(folder, path)), folders);
  await rename(join(stage, path), join(folder, path));
}

async function replace(stage: string, folder: string, path: string, text: string): Promise<void> {
  await makeFolder(stage, openMode);
  await writeFile(join(stage, path), text);
  await rename(join(stage, path), join(folder, path));
}

/** Removes a file, and the folders above it that are empty then. */
async function remove(folder: string, path: string): Promise<void> {
  await rm(join(folder, path), { force: true });
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    try {
      await rmdir(join(folder, parent));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return;
      throw error;
    }
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
