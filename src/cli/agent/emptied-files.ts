import { isBlankText } from '../../compiler/source/blank.ts';
import type { SourceFile } from '../../compiler/source/document.ts';
import { holdsObject } from '../../compiler/source/holds-object.ts';
import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { type GoodInputs, type GoodVersion, goodVersions } from './good-versions.ts';
import type { HeldObject } from './last-good.ts';
import { formatNames, keyOf, nameOf } from './object-name.ts';

/** The inputs with the last good objects of files that lost them all. */
export interface FilledFiles {
  readonly files: readonly SourceFile[];
  readonly objects: readonly HeldObject[];
  /** One error a file. */
  readonly errors: readonly Diagnostic[];
}

/** The sound objects of a file, as the compiler reads them. */
type ReadObjects = (file: SourceFile) => GoodInputs['objects'];

/**
 * Puts back what stood in files that hold no object any more, as their last good versions: a file that is there and says
 * nothing was cut short far more often than it was meant to open the mesh. An object that stands in another file now is
 * not put back. Without last good inputs nothing is known, and nothing is put back.
 */
export function fillEmptied(
  files: readonly SourceFile[],
  good: GoodInputs | undefined,
  read: ReadObjects,
): FilledFiles {
  const versions = [...goodVersions(good)];
  const owners = new Set(versions.map(([, { path }]) => path));
  const emptied = files.filter((file) => owners.has(file.path) && read(file).length === 0 && !holdsObject(file.text));
  return emptied.length === 0 ? { files, objects: [], errors: [] } : fill(files, emptied, versions, read);
}

/** An error where the mesh configuration said something when it was last in force, and says nothing now. */
export class SettingsMemory {
  readonly #path: string | undefined;
  #said: boolean;

  /** `path` is that of the mesh configuration; `said` when it said something before there was this memory. */
  constructor(path: string | undefined, said = false) {
    this.#path = path;
    this.#said = said;
  }

  get hasSaid(): boolean {
    return this.#said;
  }

  /** Its settings would go back to their defaults; whoever means that removes the file, or writes `{}`. */
  check(files: readonly SourceFile[], bag: DiagnosticBag): void {
    const file = files.find(({ path }) => path === this.#path);
    if (file === undefined || !this.#said || !isBlankText(file.text)) return;
    const hint = 'write the file again; to have the defaults, write "{}"';
    bag.report('emptied-file', { file: file.path, start: 0, end: 0 }, { what: 'the mesh configuration' }, { hint });
  }

  /** These files are in force. */
  accept(files: readonly SourceFile[]): void {
    this.#said = files.some(({ path, text }) => path === this.#path && !isBlankText(text));
  }
}

function fill(
  files: readonly SourceFile[],
  emptied: readonly SourceFile[],
  versions: readonly (readonly [string, GoodVersion])[],
  read: ReadObjects,
): FilledFiles {
  const present = new Set(files.flatMap(read).map(({ document }) => keyOf(document.value)));
  const bag = new DiagnosticBag();
  const objects: HeldObject[] = [];
  const kept: SourceFile[] = [];
  const empty = new Set<SourceFile>();
  for (const file of emptied) {
    const lost = versions.filter(([key, { path }]) => path === file.path && !present.has(key));
    if (lost.length === 0) continue;
    empty.add(file);
    for (const [, { object, file: version }] of lost) {
      objects.push({ ...nameOf(object), file: file.path, line: 1 });
      kept.push(version);
    }
    const names = lost.map(([, { object }]) => nameOf(object));
    bag.report('emptied-file', { file: file.path, start: 0, end: 0 }, { what: formatNames(names) });
  }
  return { files: [...files.filter((file) => !empty.has(file)), ...kept], objects, errors: bag.all };
}
