import type { MeshObject } from '../../compiler/policy/object.ts';
import { cutDocuments, type DocumentRange } from '../../compiler/source/cut.ts';
import type { JsonObject, SourceFile } from '../../compiler/source/document.ts';
import { parse } from '../../compiler/source/parse.ts';
import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { lineAndColumn, lineStarts, type SourceSpan } from '../../diagnostics/span.ts';

/** Inputs that were compiled, and what they held. */
export interface GoodInputs {
  readonly files: readonly SourceFile[];
  readonly objects: readonly MeshObject<string>[];
}

/** An object that is kept out of a compilation in its present form, and where that stands. */
export interface HeldObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

export interface Mended {
  /** Undefined where some object has no last good version that could stand in for it. */
  readonly files: readonly SourceFile[] | undefined;
  /** The objects at fault, as far as that can be told. */
  readonly objects: readonly HeldObject[];
}

/** Says of an object that was never good whether it can have no effect on this proxy. */
export type IsElsewhere = (object: JsonObject) => boolean;

/**
 * The inputs with the documents that errors point at in their last good version. A document that was never good is left
 * out where it is elsewhere. No files where that cannot be done, also where an error has no place, or the document at
 * fault is no other than it was; then nothing of the change may be used.
 */
export function mend(
  files: readonly SourceFile[],
  errors: readonly Diagnostic[],
  good: GoodInputs | undefined,
  isElsewhere: IsElsewhere,
): Mended {
  const versions = goodVersions(good);
  const faulty = new Map<string, FaultyDocument>();
  let isMended = true;
  for (const error of errors) {
    const own = faultAt(error.span, files, versions);
    const related = error.related.flatMap(({ span }) => faultAt(span, files, versions) ?? []);
    // What an unchanged object suffers from is the change of another.
    const changed = own === undefined ? related : [own];
    if (changed.length === 0) isMended = false;
    for (const fault of changed) faulty.set(`${fault.file.path} ${fault.range.start}`, fault);
  }
  const objects: HeldObject[] = [];
  const kept = new Map<string, SourceFile>();
  for (const fault of faulty.values()) {
    const identities = identitiesOf(fault, files, versions);
    if (identities.length === 0) isMended = false;
    const { file } = fault;
    const { line } = lineAndColumn(lineStarts(file.text), contentStart(fault));
    for (const { object, key } of identities) {
      const version = versions.get(key);
      if (version === undefined && !isElsewhere(object)) isMended = false;
      if (version !== undefined) kept.set(version.file.path, version.file);
      objects.push({ ...nameOf(object), file: file.path, line });
    }
  }
  const mended = (): SourceFile[] => [...files.map((file) => withoutDocuments(file, faulty)), ...kept.values()];
  return { files: isMended ? mended() : undefined, objects };
}

interface FaultyDocument {
  readonly file: SourceFile;
  readonly range: DocumentRange;
}

/** The last good text of a document as a file of its own, in which it stands on the line where it stood. */
interface GoodVersion {
  readonly file: SourceFile;
  readonly text: string;
  /** Of the file in which it stood. */
  readonly path: string;
  readonly object: JsonObject;
}

/** Ends the name of the file that the user knows; no file of a user is called so by accident. */
const suffix = ' (last good version of ';

/** Whether a file is one that `mend` has put in. */
export function isLastGood(path: string): boolean {
  return path.includes(suffix);
}

function goodVersions(good: GoodInputs | undefined): ReadonlyMap<string, GoodVersion> {
  const versions = new Map<string, GoodVersion>();
  const cuts = new Map((good?.files ?? []).map((file) => [file.path, { file, ranges: cutDocuments(file.text) }]));
  for (const { document } of good?.objects ?? []) {
    const { start } = document.start;
    const cut = cuts.get(document.file);
    const range = cut?.ranges.find((candidate) => start >= candidate.start && start < candidate.end);
    if (cut === undefined || range === undefined) continue;
    const { file } = cut;
    const text = file.text.slice(range.start, range.end);
    const { line } = lineAndColumn(lineStarts(file.text), range.start);
    const [path = ''] = file.path.split(suffix);
    const { kind, namespace, name } = nameOf(document.value);
    const own = { path: `${path}${suffix}${kind} ${namespace}/${name})`, text: '\n'.repeat(line - 1) + text };
    versions.set(keyOf(document.value), { file: own, text, path, object: document.value });
  }
  return versions;
}

/** The document at a place, when it is another than in the last good inputs. */
function faultAt(
  span: SourceSpan | undefined,
  files: readonly SourceFile[],
  versions: ReadonlyMap<string, GoodVersion>,
): FaultyDocument | undefined {
  const file = files.find(({ path }) => path === span?.file);
  if (span === undefined || file === undefined || isLastGood(file.path)) return undefined;
  const ranges = cutDocuments(file.text);
  // A fault at the end of a text stands in its last document.
  const range = ranges.find(({ end }) => span.start < end) ?? ranges.at(-1);
  if (range === undefined || span.start < range.start) return undefined;
  const text = file.text.slice(range.start, range.end);
  const isKnown = [...versions.values()].some((version) => version.path === file.path && version.text === text);
  return isKnown ? undefined : { file, range };
}

interface Identity {
  readonly object: JsonObject;
  readonly key: string;
}

/** Which objects a document at fault is about; none when that cannot be told. */
function identitiesOf(
  { file, range }: FaultyDocument,
  files: readonly SourceFile[],
  versions: ReadonlyMap<string, GoodVersion>,
): readonly Identity[] {
  const text = file.text.slice(range.start, range.end);
  const objects = parse([{ path: file.path, text }], new DiagnosticBag()).map(({ value }) => value);
  if (objects.length > 0) {
    const identities = objects.map((object) => ({ object, key: keyOf(object) }));
    return identities.every(({ object }) => isNamed(object)) ? identities : [];
  }
  // No parser reads it: it is taken for the one object of this file that is missing now, and that it names.
  const present = new Set(parse(without(files, file, range), new DiagnosticBag()).map(({ value }) => keyOf(value)));
  const missing = [...versions].filter(([key, { path }]) => path === file.path && !present.has(key));
  const named = missing.filter(([, { object }]) => namesObject(text, object));
  const [only] = named;
  return named.length === 1 && only !== undefined ? [{ key: only[0], object: only[1].object }] : [];
}

function without(files: readonly SourceFile[], file: SourceFile, range: DocumentRange): SourceFile[] {
  return files.map((other) => (other === file ? { ...file, text: blanked(file.text, [range]) } : other));
}

function withoutDocuments(file: SourceFile, faulty: ReadonlyMap<string, FaultyDocument>): SourceFile {
  const ranges = [...faulty.values()].filter((fault) => fault.file === file).map(({ range }) => range);
  return ranges.length === 0 ? file : { ...file, text: blanked(file.text, ranges) };
}

/** Spaces instead of text, so that lines and offsets of the rest stay. */
function blanked(text: string, ranges: readonly DocumentRange[]): string {
  let result = text;
  for (const { start, end } of ranges) {
    result = result.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ') + result.slice(end);
  }
  return result;
}

function contentStart({ file, range }: FaultyDocument): number {
  const text = file.text.slice(range.start, range.end);
  return range.start + (/^(?:---)?\s*/.exec(text)?.[0].length ?? 0);
}

function nameOf(object: JsonObject): { kind: string; namespace: string; name: string } {
  const kind = String(object.kind ?? '');
  const metadata = (object.metadata ?? {}) as JsonObject;
  const namespace =
    typeof metadata.namespace === 'string' && metadata.namespace !== '' ? metadata.namespace : 'default';
  return { kind, namespace: kind === 'Namespace' ? '' : namespace, name: String(metadata.name ?? '') };
}

function keyOf(object: JsonObject): string {
  const { kind, namespace, name } = nameOf(object);
  return JSON.stringify([kind, namespace, name]);
}

function isNamed(object: JsonObject): boolean {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { name, namespace } = metadata as JsonObject;
  return (
    typeof object.kind === 'string' && typeof name === 'string' && ['string', 'undefined'].includes(typeof namespace)
  );
}

function namesObject(text: string, object: JsonObject): boolean {
  const { kind, name } = nameOf(object);
  const says = (field: string, value: string): boolean =>
    new RegExp(`["']?\\b${field}["']?\\s*:\\s*["']?${value.replaceAll(/[^\w]/g, '\\$&')}(?![\\w.-])`).test(text);
  return says('kind', kind) && says('name', name);
}
