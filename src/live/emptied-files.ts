import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceSpan } from '../diagnostics/span.ts';
import { without } from '../lib/without.ts';
import { isBlankText } from '../source/blank.ts';
import type { SourceFile } from '../source/document.ts';
import { statedKinds } from '../source/stated-kinds.ts';
import { type GoodInputs, type GoodVersion, goodVersions, nameOfFile } from './good-versions.ts';
import type { HeldObject } from './last-valid.ts';
import { formatNames, keyOf, nameOf } from './object-name.ts';

/** The inputs with the last valid objects of files that lost them all. */
export interface FilledFiles {
  readonly files: readonly SourceFile[];
  readonly objects: readonly HeldObject[];
  /** One error a file. */
  readonly errors: readonly Diagnostic[];
  /** One warning for each file whose objects are let go because it holds objects that are not read. */
  readonly warnings: readonly Diagnostic[];
}

/** The sound objects of a file, as the compiler reads them; what is wrong with the others goes into the bag. */
type ReadObjects = (file: SourceFile, bag: DiagnosticBag) => GoodInputs['objects'];

/**
 * Puts back what stood in files that hold no object any more, as their last valid versions: a file that is there and says
 * nothing was cut short far more often than it was meant to open the mesh. An object that stands in another file now is
 * not put back. A file that holds objects of other kinds alone was written so, and is believed: what stood in it is let
 * go, with a warning. Without last valid inputs nothing is known, and nothing is put back.
 */
export function fillEmptied(
  files: readonly SourceFile[],
  good: GoodInputs | undefined,
  read: ReadObjects,
): FilledFiles {
  const emptied: SourceFile[] = [];
  const replaced: ReplacedFile[] = [];
  for (const file of changedOwners(good, files)) {
    const bag = new DiagnosticBag();
    if (read(file, bag).length > 0) continue;
    const kinds = statedKinds(file.text);
    if (kinds?.length === 0) emptied.push(file);
    else if (kinds?.some((kind) => kind !== 'List') && !bag.hasErrors) replaced.push({ file, kinds });
  }
  if (emptied.length + replaced.length === 0) return { files, objects: [], errors: [], warnings: [] };
  const lost = new LostObjects(files, [...goodVersions(good)], read);
  return { ...fill(files, emptied, lost), warnings: warningsOf(replaced, lost) };
}

/** Those that held objects. A file that is as it was when it was last valid holds what it held. */
function changedOwners(good: GoodInputs | undefined, files: readonly SourceFile[]): readonly SourceFile[] {
  const others = without(files, good?.files ?? files);
  if (good === undefined || others.length === 0) return [];
  // A few files of many: nothing is gathered of the others.
  const asked = new Set(others.map(({ path }) => path));
  const held = good.objects.flatMap(({ document }) => {
    const path = nameOfFile(document.file);
    return asked.has(path) ? [path] : [];
  });
  const owners = new Set(held);
  const texts = new Map(good.files.flatMap(({ path, text }) => (asked.has(path) ? [[path, text] as const] : [])));
  return others.filter(({ path, text }) => owners.has(path) && texts.get(path) !== text);
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

/** A file whose objects made room for some of kinds that are not read. */
interface ReplacedFile {
  readonly file: SourceFile;
  readonly kinds: readonly string[];
}

/** Objects that stood in a file when they were last valid, and stand nowhere now. */
class LostObjects {
  readonly #versions: readonly (readonly [string, GoodVersion])[];
  readonly #present: ReadonlySet<string>;

  constructor(files: readonly SourceFile[], versions: readonly (readonly [string, GoodVersion])[], read: ReadObjects) {
    this.#versions = versions;
    const bag = new DiagnosticBag();
    this.#present = new Set(files.flatMap((file) => read(file, bag)).map(({ document }) => keyOf(document.value)));
  }

  of(file: SourceFile): readonly GoodVersion[] {
    const lost = this.#versions.filter(([key, { path }]) => path === file.path && !this.#present.has(key));
    return lost.map(([, version]) => version);
  }
}

function fill(
  files: readonly SourceFile[],
  emptied: readonly SourceFile[],
  lostObjects: LostObjects,
): Omit<FilledFiles, 'warnings'> {
  const bag = new DiagnosticBag();
  const objects: HeldObject[] = [];
  const kept: SourceFile[] = [];
  const empty = new Set<SourceFile>();
  for (const file of emptied) {
    const lost = lostObjects.of(file);
    if (lost.length === 0) continue;
    empty.add(file);
    for (const { object, file: version } of lost) {
      objects.push({ ...nameOf(object), file: file.path, line: 1 });
      kept.push(version);
    }
    bag.report('emptied-file', startOf(file), { what: formatNames(lost.map(({ object }) => nameOf(object))) });
  }
  return { files: [...files.filter((file) => !empty.has(file)), ...kept], objects, errors: bag.all };
}

function warningsOf(replaced: readonly ReplacedFile[], lostObjects: LostObjects): readonly Diagnostic[] {
  const bag = new DiagnosticBag();
  for (const { file, kinds } of replaced) {
    const lost = lostObjects.of(file);
    if (lost.length === 0) continue;
    const what = formatNames(lost.map(({ object }) => nameOf(object)));
    bag.report('replaced-objects', startOf(file), { what, kinds: [...new Set(kinds)].sort().join(', ') });
  }
  return bag.all;
}

function startOf({ path }: SourceFile): SourceSpan {
  return { file: path, start: 0, end: 0 };
}
