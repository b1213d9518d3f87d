import type { Change } from '../../compiler/object-store.ts';
import type { ReadObjects } from '../../compiler/read-objects.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { MeshObject } from '../../policy/object.ts';
import { keyOf } from '../../policy/object-key.ts';
import type { SourceFile } from '../../source/document.ts';
import { readSources } from '../../source/read.ts';

/** What became different since the last look, and the texts for diagnostics that point into them. */
export interface Batch {
  readonly changes: readonly Change[];
  readonly files: readonly SourceFile[];
  /** A rule about access is among them: it may take access away. */
  readonly isUrgent: boolean;
  /** Nothing but where services are. */
  readonly isEndpoints: boolean;
}

const accessKinds: ReadonlySet<string> = new Set([
  'AuthorizationPolicy',
  'PeerAuthentication',
  'RequestAuthentication',
]);
const endpointKinds: ReadonlySet<string> = new Set(['Pod', 'Endpoints', 'EndpointSlice', 'WorkloadEntry']);

/** The objects of a folder of files, told by what changes of them. */
export class FilesRegistry {
  readonly #folder: string;
  readonly #read: ReadObjects;
  #known: ReadonlyMap<string, MeshObject<string>> = new Map();

  /** `read` gives the same object for an unchanged text. */
  constructor(folder: string, read: ReadObjects) {
    this.#folder = folder;
    this.#read = read;
  }

  /** Looks at the folder. With errors in the bag nothing is taken over; a folder that cannot be read is thrown. */
  async look(bag: DiagnosticBag): Promise<Batch | undefined> {
    const files = await readSources([this.#folder], bag, { filesOnly: true });
    const objects = bag.hasErrors ? [] : this.#read(files, bag);
    if (bag.hasErrors) return { changes: [], files, isUrgent: false, isEndpoints: false };
    const now = new Map(objects.map((object) => [keyOf(object), object]));
    const changes: Change[] = [];
    const kinds = new Set<string>();
    for (const [key, object] of now) {
      if (this.#known.get(key) === object) continue;
      changes.push({ key, object });
      kinds.add(object.kind);
    }
    for (const [key, { kind }] of this.#known) {
      if (now.has(key)) continue;
      changes.push({ key, object: undefined });
      kinds.add(kind);
    }
    this.#known = now;
    if (changes.length === 0) return undefined;
    const isUrgent = [...kinds].some((kind) => accessKinds.has(kind));
    return { changes, files, isUrgent, isEndpoints: [...kinds].every((kind) => endpointKinds.has(kind)) };
  }
}
