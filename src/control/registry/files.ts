import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { delay } from '../../lib/abort.ts';
import type { ReadClock } from '../../lib/clock.ts';
import { FolderMemory } from '../../live/folder-memory.ts';
import { readSettledSources } from '../../live/read-settled.ts';
import { SourceMemory } from '../../live/source-memory.ts';
import { type PathsWatch, watchPaths } from '../../watch/watch.ts';
import { FileBatches } from './file-batches.ts';
import type { Batch, Registry } from './registry.ts';

/** Events of one write are told as one. */
const watching = { debounceMs: 10, debounceMaxMs: 100 };
/** Writers that are slower than that have one part of a file taken for the whole. */
const stillMs = 40;

/** Reads the files of a folder, and again those that have been written since. */
export class FilesRegistry implements Registry {
  readonly figures = [];
  readonly #folder: string;
  readonly #sources: SourceMemory;
  readonly #folders: FolderMemory;
  readonly #batches = new FileBatches();
  #places: ReadonlyMap<string, string> = new Map();
  #watch: PathsWatch | undefined;
  #tell: () => void = () => undefined;
  readonly #end = new AbortController();

  /** `known` is what a registry before this one knew. */
  constructor(folder: string, known: Registry['folders'] = [], clock: ReadClock = Date.now) {
    this.#folder = folder;
    this.#sources = new SourceMemory({ clock, stillMs });
    this.#folders = new FolderMemory(known);
  }

  get folders(): Registry['folders'] {
    return this.#folders.accepted;
  }

  async follow(onChange: () => void): Promise<void> {
    this.#tell = onChange;
    this.#watch = await watchPaths([this.#folder], { ...watching, onChange });
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

  /** Looks at the folder; undefined when nothing differs. A folder that cannot be read, or was unmounted, is thrown. */
  async look(bag: DiagnosticBag): Promise<Batch | undefined> {
    try {
      const round = this.#sources.round();
      const files = await readSettledSources([this.#folder], bag, { filesOnly: true, through: round.read });
      const unmounted = await this.#folders.findUnmounted(files);
      if (unmounted !== undefined) throw unmounted;
      this.#places = round.places;
      if (round.isMoving) void this.#lookAgain();
      return this.#batches.take(files, bag.hasErrors);
    } catch (error) {
      this.#batches.failed();
      throw error;
    }
  }

  /** Nothing tells that a file is not written any more. */
  async #lookAgain(): Promise<void> {
    await delay(stillMs, this.#end.signal);
    if (!this.#end.signal.aborted) this.#tell();
  }
}
