import { type FSWatcher, watch } from 'node:fs';
import { delay } from '../lib/abort.ts';
import { type Disk, systemDisk } from './disk.ts';
import { countChanges, isSameSurvey, type Survey, stampOf, survey } from './survey.ts';

/** Changes that are reported as one. */
export interface Change {
  /** Files that differ from what was told last, at least 1. */
  readonly files: number;
  /** When the first of them was seen, as `performance.now()` counts. */
  readonly seenAtMs: number;
  /** Since then nothing has changed, as far as was seen; on the same clock. */
  readonly quietSinceMs: number;
}

/** How a set of files and folders is watched. */
export interface WatchOptions {
  /** Called after changes have been quiet for `debounceMs`, or have gone on for `debounceMaxMs`. */
  readonly onChange: (change: Change) => void;
  readonly debounceMs?: number;
  readonly debounceMaxMs?: number;
  /**
   * How often is looked at what no event may tell of: all files where inotify is out of watches or blind (network file
   * systems), else a few names.
   */
  readonly pollMs?: number;
  /** How often all is looked at although events tell of it. */
  readonly netMs?: number;
  readonly disk?: Disk;
}

/** A watch that runs. */
export interface Watch {
  close(): void;
}

/** A watch whose paths may become others. */
export interface PathsWatch extends Watch {
  /** Watches these paths from now on; one change is told when they are others than before. */
  follow(paths: readonly string[]): void;
}

/**
 * Watches files and folders (with all below them) by the names that the user gave. Events only say when to look; what
 * counts is whether a file's identity, size or time differs afterwards. So renames, symlink swaps (`..data`), and
 * folders that appear later are all seen. Resolves when the first state is known.
 */
export async function watchPaths(paths: readonly string[], options: WatchOptions): Promise<PathsWatch> {
  const watcher = new PathWatch(paths, options);
  await watcher.start();
  return watcher;
}

interface WatchedFolder {
  readonly identity: string;
  readonly watcher: FSWatcher;
}

class PathWatch implements PathsWatch {
  #paths: readonly string[];
  readonly #options: Required<WatchOptions>;
  readonly #folders = new Map<string, WatchedFolder>();
  #seen: Survey = { entries: new Map(), folders: new Map(), unheard: new Map(), isLocal: true };
  #told = this.#seen;
  #surveyMs = 0;
  #surveyedAtMs = 0;
  #unheardMs = 0;
  #isOpen = true;
  #isLooking = false;
  #mustLookAgain = false;
  #poll: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #firstEventMs: number | undefined;
  #firstChangeMs: number | undefined;
  /** When the last look began that found a change. */
  #lastChangeMs = 0;

  constructor(paths: readonly string[], options: WatchOptions) {
    this.#paths = paths;
    const defaults = { debounceMs: 100, debounceMaxMs: 10_000, pollMs: 2_000, netMs: 30_000, disk: systemDisk };
    this.#options = { ...defaults, ...options };
  }

  async start(): Promise<void> {
    // What an event tells of meanwhile is looked at afterwards: of two surveys at once the older one might end last.
    this.#isLooking = true;
    this.#seen = await this.#survey();
    // What changed between the first look and the watches is seen by looking once more.
    this.#mustLookAgain = false;
    this.#seen = await this.#survey();
    this.#told = this.#seen;
    this.#isLooking = false;
    this.#firstEventMs = undefined;
    if (this.#mustLookAgain) void this.#look();
    this.#schedulePoll();
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#poll);
    clearTimeout(this.#quiet);
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  follow(paths: readonly string[]): void {
    if (paths.length === this.#paths.length && paths.every((path, i) => path === this.#paths[i])) return;
    this.#paths = paths;
    void this.#look();
  }

  /** The next look without an event; many files are looked at less often, so that looking costs at most half a percent. */
  #schedulePoll(): void {
    if (!this.#isOpen) return;
    const { pollMs } = this.#options;
    this.#poll = setTimeout(
      () => void this.#pollOnce().then(() => this.#schedulePoll()),
      Math.max(pollMs, 200 * (this.#isBlind ? this.#surveyMs : this.#unheardMs)),
    );
  }

  async #pollOnce(): Promise<void> {
    const netMs = Math.max(this.#options.netMs, 1_000 * this.#surveyMs);
    const isDue = this.#isBlind || performance.now() - this.#surveyedAtMs >= netMs;
    if (isDue || (await this.#hasUnheardChange())) await this.#look();
  }

  /** Whether events may be missing: a folder is not watched, or others than this machine's kernel write to it. */
  get #isBlind(): boolean {
    return !this.#seen.isLocal || this.#folders.size < this.#seen.folders.size;
  }

  async #hasUnheardChange(): Promise<boolean> {
    const startedAt = performance.now();
    let isChanged = false;
    for (const [path, stamp] of this.#seen.unheard) {
      isChanged ||= stampOf(await this.#options.disk.stat(path)) !== stamp;
    }
    this.#unheardMs = performance.now() - startedAt;
    return isChanged;
  }

  /** Compares the files with what they were; one look at a time, with pauses while events come without end. */
  async #look(): Promise<void> {
    this.#firstEventMs ??= performance.now();
    this.#mustLookAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#mustLookAgain && this.#isOpen) {
      this.#mustLookAgain = false;
      const beganMs = performance.now();
      const now = await this.#survey();
      const isSame = isSameSurvey(now, this.#seen);
      this.#seen = now;
      if (!isSame) {
        this.#lastChangeMs = beganMs;
        this.#postpone();
      }
      if (this.#mustLookAgain) await delay(Math.max(5, this.#surveyMs));
    }
    this.#isLooking = false;
    if (this.#firstChangeMs === undefined) this.#firstEventMs = undefined;
  }

  #postpone(): void {
    if (!this.#isOpen) return;
    const now = performance.now();
    this.#firstChangeMs ??= this.#firstEventMs ?? now;
    const left = this.#firstChangeMs + this.#options.debounceMaxMs - now;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#tell(), Math.max(0, Math.min(this.#options.debounceMs, left)));
  }

  #tell(): void {
    const seenAtMs = this.#firstChangeMs ?? performance.now();
    const files = Math.max(1, countChanges(this.#told, this.#seen));
    this.#told = this.#seen;
    this.#firstChangeMs = undefined;
    this.#firstEventMs = undefined;
    this.#options.onChange({ files, seenAtMs, quietSinceMs: Math.max(seenAtMs, this.#lastChangeMs) });
  }

  /** Looks at everything, and moves the watches to the folders that exist now. */
  async #survey(): Promise<Survey> {
    const startedAt = performance.now();
    const now = await survey(this.#paths, this.#options.disk);
    this.#surveyedAtMs = performance.now();
    this.#surveyMs = this.#surveyedAtMs - startedAt;
    if (!this.#isOpen) return this.#seen;
    for (const [folder, { identity, watcher }] of this.#folders) {
      if (now.folders.get(folder) === identity) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const [folder, identity] of now.folders) this.#watchFolder(folder, identity);
    return now;
  }

  #watchFolder(folder: string, identity: string): void {
    if (this.#folders.has(folder)) return;
    try {
      const watcher = watch(folder, () => void this.#look());
      watcher.on('error', () => {
        // The folder is gone or inotify gave up: the next look, or the poll, takes over.
        watcher.close();
        if (this.#folders.get(folder)?.watcher === watcher) this.#folders.delete(folder);
      });
      this.#folders.set(folder, { identity, watcher });
      // Something may have come into it before it was watched.
      this.#mustLookAgain = true;
    } catch (error) {
      // A folder that has vanished since the look: what takes its place is waited for elsewhere. Where no inotify watches
      // are left, the poll sees the change, only later.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#mustLookAgain = true;
    }
  }
}
