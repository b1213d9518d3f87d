import type { Stats } from 'node:fs';
import { type FSWatcher, watch } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** How a set of files and folders is watched. */
export interface WatchOptions {
  /** Called after changes have been quiet for `debounceMs`, or have gone on for `debounceMaxMs`. */
  readonly onChange: () => void;
  readonly debounceMs?: number;
  readonly debounceMaxMs?: number;
  /** How often the files are looked at where no event came: inotify may be out of watches, or blind (network file systems). */
  readonly pollMs?: number;
}

/** A watch that runs. */
export interface Watch {
  close(): void;
}

/** Deeper folders are not followed: a link may lead to the root of the file system. */
const deepestFolder = 32;

/**
 * Watches files and folders (with all below them) by the names that the user gave. Events only say when to look; what
 * counts is whether a file's identity, size or time differs afterwards. So renames, symlink swaps (`..data`), and
 * folders that appear later are all seen. Resolves when the first state is known.
 */
export async function watchPaths(paths: readonly string[], options: WatchOptions): Promise<Watch> {
  const watcher = new PathWatch(paths, options);
  await watcher.start();
  return watcher;
}

class PathWatch implements Watch {
  readonly #paths: readonly string[];
  readonly #options: Required<WatchOptions>;
  readonly #folders = new Map<string, FSWatcher>();
  #signature = '';
  #surveyMs = 0;
  #isOpen = true;
  #isLooking = false;
  #mustLookAgain = false;
  #poll: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #firstChangeMs: number | undefined;

  constructor(paths: readonly string[], options: WatchOptions) {
    this.#paths = paths;
    this.#options = { debounceMs: 100, debounceMaxMs: 10_000, pollMs: 2_000, ...options };
  }

  async start(): Promise<void> {
    this.#signature = await this.#survey();
    // What changed between the first look and the watches is seen by looking once more.
    this.#signature = await this.#survey();
    this.#schedulePoll();
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#poll);
    clearTimeout(this.#quiet);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  /** The next look without an event; many files are looked at less often, so that looking costs at most a twentieth. */
  #schedulePoll(): void {
    if (!this.#isOpen) return;
    this.#poll = setTimeout(
      () => void this.#look().then(() => this.#schedulePoll()),
      Math.max(this.#options.pollMs, 20 * this.#surveyMs),
    );
  }

  /** Compares the files with what they were; one look at a time. */
  async #look(): Promise<void> {
    this.#mustLookAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#mustLookAgain && this.#isOpen) {
      this.#mustLookAgain = false;
      const signature = await this.#survey();
      if (signature === this.#signature) continue;
      this.#signature = signature;
      this.#postpone();
    }
    this.#isLooking = false;
  }

  #postpone(): void {
    if (!this.#isOpen) return;
    const now = performance.now();
    this.#firstChangeMs ??= now;
    const left = this.#firstChangeMs + this.#options.debounceMaxMs - now;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(
      () => {
        this.#firstChangeMs = undefined;
        this.#options.onChange();
      },
      Math.max(0, Math.min(this.#options.debounceMs, left)),
    );
  }

  /** Looks at everything, moves the watches to the folders that exist now, and gives a text that differs when a file does. */
  async #survey(): Promise<string> {
    const startedAt = performance.now();
    const lines: string[] = [];
    const folders = new Set<string>();
    for (const path of this.#paths) {
      folders.add(dirname(path));
      await surveyPath(path, 0, lines, folders);
    }
    if (!this.#isOpen) return '';
    for (const [folder, watcher] of this.#folders) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of folders) this.#watchFolder(folder);
    this.#surveyMs = performance.now() - startedAt;
    return lines.sort().join('\n');
  }

  #watchFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    try {
      const watcher = watch(folder, () => void this.#look());
      watcher.on('error', () => {
        // The folder is gone or inotify gave up: the next look, or the poll, takes over.
        watcher.close();
        this.#folders.delete(folder);
      });
      this.#folders.set(folder, watcher);
    } catch {
      // No such folder, or no inotify watches left: the poll sees the change, only later.
    }
  }
}

async function surveyPath(path: string, depth: number, lines: string[], folders: Set<string>): Promise<void> {
  const found = await stat(path, { bigint: false }).catch(() => undefined);
  if (found === undefined) {
    lines.push(`${path} absent`);
    return;
  }
  if (!found.isDirectory()) {
    lines.push(`${path} ${await fingerprint(path, found)}`);
    return;
  }
  folders.add(path);
  lines.push(`${path} folder ${found.ino}`);
  if (depth >= deepestFolder) return;
  const names = await readdir(path).catch(() => []);
  for (const name of names) await surveyPath(join(path, name), depth + 1, lines, folders);
}

async function fingerprint(path: string, found: Stats): Promise<string> {
  const target = await realpath(path).catch(() => path);
  return `${found.dev}:${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs} ${target}`;
}
