import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceSpan } from '../diagnostics/span.ts';
import { append } from '../lib/append.ts';
import type { DocumentRange } from '../source/cut.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';
import { CutFiles } from './cut-files.ts';
import { type GoodInputs, type GoodVersion, goodVersions, isLastGood } from './good-versions.ts';
import { keyOf, nameOf, type ObjectName } from './object-name.ts';

/** An object that is kept out of a compilation in its present form, and where that stands. */
export interface HeldObject extends ObjectName {
  readonly file: string;
  readonly line: number;
}

export interface Mended {
  /** Undefined where some object has no last good version that could stand in for it. */
  readonly files: readonly SourceFile[] | undefined;
  /** The invalid objects, as far as they can be determined. */
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
  const search = new FaultSearch(files, versions);
  const faulty = new Map<string, FaultyDocument>();
  let isMended = true;
  for (const error of errors) {
    const own = search.faultAt(error.span);
    const related = error.related.flatMap(({ span }) => search.faultAt(span) ?? []);
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
    const line = search.cuts.lineAt(file, contentStart(fault));
    for (const { object, key } of identities) {
      const version = versions.get(key);
      if (version === undefined && !isElsewhere(object)) isMended = false;
      if (version !== undefined) kept.set(key, version.file);
      objects.push({ ...nameOf(object), file: file.path, line });
    }
  }
  return { files: isMended ? [...withoutDocuments(files, faulty, kept), ...kept.values()] : undefined, objects };
}

interface FaultyDocument {
  readonly file: SourceFile;
  readonly range: DocumentRange;
}

/** Finds documents at fault; each file is cut once. */
class FaultSearch {
  readonly cuts = new CutFiles();
  readonly #files: ReadonlyMap<string, SourceFile>;
  readonly #known: ReadonlySet<string>;
  /** Many errors may point into one document, which may be large. */
  readonly #judged = new Map<DocumentRange, FaultyDocument | undefined>();

  constructor(files: readonly SourceFile[], versions: ReadonlyMap<string, GoodVersion>) {
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#known = new Set([...versions.values()].map(({ path, text }) => `${path}\n${text}`));
  }

  /** The document at a place, when it is another than in the last good inputs. */
  faultAt(span: SourceSpan | undefined): FaultyDocument | undefined {
    const file = span && this.#files.get(span.file);
    if (span === undefined || file === undefined || isLastGood(file.path)) return undefined;
    // A fault at the end of a text stands in its last document.
    const range = this.cuts.rangeEndingAfter(file, span.start);
    if (range === undefined || span.start < range.start) return undefined;
    if (!this.#judged.has(range)) this.#judged.set(range, this.#isKnown(file, range) ? undefined : { file, range });
    return this.#judged.get(range);
  }

  #isKnown(file: SourceFile, { start, end }: DocumentRange): boolean {
    return this.#known.has(`${file.path}\n${file.text.slice(start, end)}`);
  }
}

interface Identity {
  readonly object: JsonObject;
  readonly key: string;
}

/** The objects that an invalid document contains; none if they can't be determined. */
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
  const named = [...versions].filter(([, { path, object }]) => path === file.path && namesObject(text, object));
  if (named.length === 0) return [];
  const rest = files.map((other) => (other === file ? { ...file, text: blanked(file.text, [range]) } : other));
  const present = new Set(parse(rest, new DiagnosticBag()).map(({ value }) => keyOf(value)));
  const missing = named.filter(([key]) => !present.has(key));
  const [only] = missing;
  return missing.length === 1 && only !== undefined ? [{ key: only[0], object: only[1].object }] : [];
}

/** The files without the documents at fault, and without older stand-ins for what `kept` stands in for. */
function withoutDocuments(
  files: readonly SourceFile[],
  faulty: ReadonlyMap<string, FaultyDocument>,
  kept: ReadonlyMap<string, SourceFile>,
): SourceFile[] {
  const ranges = new Map<SourceFile, DocumentRange[]>();
  for (const { file, range } of faulty.values()) {
    append(ranges, file, range);
  }
  const paths = new Set([...kept.values()].map(({ path }) => path));
  return files
    .filter(({ path }) => !paths.has(path))
    .map((file) => {
      const own = ranges.get(file);
      return own === undefined ? file : { ...file, text: blanked(file.text, own) };
    });
}

/** Spaces instead of text, so that lines and offsets of the rest stay. */
function blanked(text: string, ranges: readonly DocumentRange[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, start), text.slice(start, end).replaceAll(/[^\n]/g, ' '));
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
}

function contentStart({ file, range }: FaultyDocument): number {
  const text = file.text.slice(range.start, range.end);
  return range.start + (/^(?:---)?\s*/.exec(text)?.[0].length ?? 0);
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
