import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceFile } from '../../source/document.ts';
import { readSources } from '../../source/read.ts';

/** The files of a folder at one moment, and of what kind is what differs from the look before. */
export interface Batch {
  readonly files: readonly SourceFile[];
  /** A rule about access may be among it: it may take access away. */
  readonly isUrgent: boolean;
  /** Nothing but where services are. */
  readonly isEndpoints: boolean;
}

/** By the text, for a file with errors has no objects; what writes letters by their numbers may name anything. */
const ofAccess = /AuthorizationPolicy|PeerAuthentication|RequestAuthentication|\\[ux]/i;
const kinds = /["']?\bkind["']?\s*:\s*["']?(\w+)/g;
const ofEndpoints: ReadonlySet<string> = new Set(['Pod', 'Endpoints', 'EndpointSlice', 'WorkloadEntry']);

/** The files of a folder, told when they differ. */
export class FilesRegistry {
  readonly #folder: string;
  #known: ReadonlyMap<string, string> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Looks at the folder; undefined when nothing differs. A folder that cannot be read is thrown. */
  async look(bag: DiagnosticBag): Promise<Batch | undefined> {
    const files = await readSources([this.#folder], bag, { filesOnly: true });
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
