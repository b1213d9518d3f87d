import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { FolderMemory } from '../../live/folder-memory.ts';
import { SourceMemory } from '../../live/source-memory.ts';
import { readSources } from '../../source/read.ts';
import { type PathsWatch, watchPaths } from '../../watch/watch.ts';
import type { Batch, Registry } from './registry.ts';

/** By the text, for a file with errors has no objects; what writes letters by their numbers may name anything. */
const ofAccess = /AuthorizationPolicy|PeerAuthentication|RequestAuthentication|\\[ux]/i;
const kinds = /["']?\bkind["']?\s*:\s*["']?(\w+)/g;
const ofEndpoints: ReadonlySet<string> = new Set(['Pod', 'Endpoints', 'EndpointSlice', 'WorkloadEntry']);

/** Events of one write are told as one. */
const watching = { debounceMs: 10, debounceMaxMs: 100 };

/** The files of a folder, told when they differ. Of a thousand files those alone are read that were written since. */
export class FilesRegistry implements Registry {
  readonly figures = [];
  readonly #folder: string;
  readonly #sources = new SourceMemory();
  readonly #folders: FolderMemory;
  #places: ReadonlyMap<string, string> = new Map();
  #known: ReadonlyMap<string, string> | undefined;
  #watch: PathsWatch | undefined;

  /** `known` is what a registry before this one knew. */
  constructor(folder: string, known: Registry['folders'] = []) {
    this.#folder = folder;
    this.#folders = new FolderMemory(known);
  }

  get folders(): Registry['folders'] {
    return this.#folders.accepted;
  }

  async follow(onChange: () => void): Promise<void> {
    this.#watch = await watchPaths([this.#folder], { ...watching, onChange });
  }

  close(): void {
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
    const round = this.#sources.round();
    const files = await readSources([this.#folder], bag, { filesOnly: true, through: round.read });
    const unmounted = await this.#folders.findUnmounted(files);
    if (unmounted !== undefined) throw unmounted;
    this.#places = round.places;
    const before = this.#known;
    const now = new Map(files.map(({ path, text }) => [path, text]));
    this.#known = now;
    const changed = [...new Set([...now.keys(), ...(before?.keys() ?? [])])].filter(
      (path) => now.get(path) !== before?.get(path),
    );
    if (before !== undefined && changed.length === 0 && !bag.hasErrors) return undefined;
    const texts = changed.flatMap((path) => [now.get(path) ?? [], before?.get(path) ?? []].flat());
    const found = texts.flatMap((text) => [...text.matchAll(kinds)].map(([, kind = '']) => kind));
    return {
      files,
      isUrgent: texts.some((text) => ofAccess.test(text)),
      isEndpoints: found.length > 0 && found.every((kind) => ofEndpoints.has(kind)),
    };
  }
}
