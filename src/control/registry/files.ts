import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { delay } from '../../lib/abort.ts';
import type { ReadClock } from '../../lib/clock.ts';
import { FolderMemory } from '../../live/folder-memory.ts';
import { readSettledSources } from '../../live/read-settled.ts';
import { SourceMemory } from '../../live/source-memory.ts';
import { type PathsWatch, watchPaths } from '../../watch/watch.ts';
import { FileBatches } from './file-batches.ts';
import type { Batch, OnChange, Registry } from './registry.ts';

/** Events of one write are told as one. */
const watching = { debounceMs: 10, debounceMaxMs: 100 };
/** Writers that are slower than that have one part of a file taken for the whole. */
const stillMs = 40;
/** After so long files that never come to rest are taken as they are: a rule that denies in another one waits no longer. */
const longestMovingMs = 200;

/** Reads the files of a folder, and again those that have been written since. */
export class FilesRegistry implements Registry {
  readonly figures = [];
  readonly #folder: string;
  readonly #clock: ReadClock;
  readonly #sources: SourceMemory;
  readonly #folders: FolderMemory;
  readonly #batches = new FileBatches();
  #places: ReadonlyMap<string, string> = new Map();
  #watch: PathsWatch | undefined;
  #tell: OnChange = () => undefined;
  readonly #end = new AbortController();
  /** As `performance.now()` counts; undefined: no file is being written. */
  #movingSinceMs: number | undefined;

  /** `known` is what a registry before this one knew. */
  constructor(folder: string, known: Registry['folders'] = [], clock: ReadClock = Date.now) {
    this.#folder = folder;
    this.#clock = clock;
    this.#sources = new SourceMemory({ clock });
    this.#folders = new FolderMemory(known);
  }

  get folders(): Registry['folders'] {
    return this.#folders.accepted;
  }

  async follow(onChange: OnChange): Promise<void> {
    this.#tell = onChange;
    this.#watch = await watchPaths([this.#folder], {
      ...watching,
      onChange: ({ quietSinceMs }) => onChange(quietSinceMs),
    });
  }

  close(): void {
    this.#end.abort();
    this.#watch?.close();
  }

  /** Files that are gone are gone. */
  forget(): number {
    return 0;
  }

  /** The files of the last look are in force. */
  accept(): void {
    this.#folders.accept(this.#places);
  }

  /**
   * Looks at the folder; undefined when nothing differs, or while a file with rules about access is being written: of one
   * moment all is taken or nothing, for a rule may have moved from one file to another. A folder that cannot be read, or was
   * unmounted, is thrown.
   */
  async look(bag: DiagnosticBag): Promise<Batch | undefined> {
    try {
      const round = this.#sources.round();
      const own = new DiagnosticBag();
      const files = await readSettledSources([this.#folder], own, { filesOnly: true, through: round.read });
      const unmounted = await this.#folders.findUnmounted(files);
      if (unmounted !== undefined) throw unmounted;
      const written = round.writtenAfter(this.#clock() - stillMs);
      if (this.#batches.areOfAccess(written, files) && this.#waits()) {
        void this.#lookAgain();
        return undefined;
      }
      this.#movingSinceMs = undefined;
      round.take();
      this.#places = round.places;
      bag.addAll(own.all);
      return this.#batches.take(files, bag.hasErrors);
    } catch (error) {
      this.#movingSinceMs = undefined;
      this.#batches.failed();
      throw error;
    }
  }

  #waits(): boolean {
    this.#movingSinceMs ??= performance.now();
    return performance.now() - this.#movingSinceMs <= longestMovingMs;
  }

  /** Nothing tells that a file is not written any more. */
  async #lookAgain(): Promise<void> {
    await delay(stillMs, this.#end.signal);
    if (!this.#end.signal.aborted) this.#tell();
  }
}
