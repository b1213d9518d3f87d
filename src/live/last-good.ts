import { isWorkloadKind } from '../compiler/reach.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceSpan } from '../diagnostics/span.ts';
import { append } from '../lib/append.ts';
import type { DocumentRange } from '../source/cut.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';
import { closedStandIn } from './closed-stand-in.ts';
import { CutFiles } from './cut-files.ts';
import { type GoodInputs, type GoodVersion, goodVersions, isLastGood, nameOfFile } from './good-versions.ts';
import { keyOf, nameOf, type ObjectName } from './object-name.ts';

/** An object that is kept out of a compilation in its present form, and where that stands. */
export interface HeldObject extends ObjectName {
  readonly file: string;
  readonly line: number;
}

export interface Mended {
  /** Undefined where some object has no last good version that could stand in for it, and may not be left out. */
  readonly files: readonly SourceFile[] | undefined;
  /** The invalid objects, as far as they can be determined. */
  readonly objects: readonly HeldObject[];
  /** One for each of them, and one for each document of which nobody knows what it is. */
  readonly faults: readonly Fault[];
  /** Errors that no document can be blamed for. */
  readonly unplaced: readonly Diagnostic[];
}

/** Something at fault that is kept out of a compilation in its present form. */
export interface Fault {
  /** Undefined: a document of which nobody knows what it is. */
  readonly object: HeldObject | undefined;
  /** As it stands now, and as it was when it was last good; empty where it cannot be read. */
  readonly texts: readonly JsonObject[];
  /** Its last good version holds in its place; else the inputs were compiled without it. */
  readonly isHeld: boolean;
  readonly errors: readonly Diagnostic[];
  readonly file: string;
  readonly line: number;
}

/** Says of an object that was never good whether it can have no effect on this proxy. */
export type IsElsewhere = (object: JsonObject) => boolean;

/** What may be left out: what is elsewhere, or everything, by who finds out whom it concerns. */
export interface MendRules {
  readonly isElsewhere: IsElsewhere | 'everything';
  /** Errors of one proxy alone. */
  readonly ofOneProxy?: ReadonlySet<Diagnostic>;
}

/**
 * The inputs with the documents that errors point at in their last good version. A document that was never good is left
 * out where it is elsewhere. No files where that cannot be done, also where the document at fault is no other than it
 * was; then nothing of the change may be used. Where everything may be left out, an unchanged document is, too.
 */
export function mend(
  files: readonly SourceFile[],
  errors: readonly Diagnostic[],
  good: GoodInputs | undefined,
  { isElsewhere, ofOneProxy }: MendRules,
): Mended {
  const versions = goodVersions(good);
  const search = new FaultSearch(files, versions, isElsewhere === 'everything');
  const faulty = new Map<string, { readonly document: FaultyDocument; readonly errors: Diagnostic[] }>();
  const unplaced: Diagnostic[] = [];
  for (const error of errors) {
    const found = search.faultsOf(error).filter((document) => !ofOneProxy?.has(error) || !isWorkload(document));
    if (found.length === 0) unplaced.push(error);
    for (const document of found) {
      const key = `${document.file.path} ${document.range.start}`;
      const entry = faulty.get(key) ?? { document, errors: [] };
      faulty.set(key, entry);
      entry.errors.push(error);
    }
  }
  let isMended = true;
  const faults: Fault[] = [];
  const kept = new Map<string, SourceFile>();
  for (const { document, errors: own } of faulty.values()) {
    const place = {
      file: nameOfFile(document.file.path),
      line: search.cuts.lineAt(document.file, contentStart(document)),
    };
    const identities = identitiesOf(document, own, files, versions);
    if (identities.length === 0) {
      if (isElsewhere !== 'everything') isMended = false;
      faults.push({ ...place, object: undefined, texts: [], isHeld: false, errors: own });
    }
    for (const { object, key } of identities) {
      const version = document.isChanged ? versions.get(key) : undefined;
      if (version === undefined && isElsewhere !== 'everything' && !isElsewhere(object)) isMended = false;
      const standIn =
        version?.file ?? (isElsewhere === 'everything' ? closedStandIn(object, document.file) : undefined);
      if (standIn !== undefined) kept.set(key, standIn);
      const held = { ...nameOf(object), ...place };
      const texts = version === undefined ? [object] : [object, version.object];
      faults.push({ ...place, object: held, texts, isHeld: version !== undefined, errors: own });
    }
  }
  const documents = [...faulty.values()].map(({ document }) => document);
  return {
    files: isMended ? [...withoutDocuments(files, documents, kept), ...kept.values()] : undefined,
    objects: faults.flatMap(({ object }) => object ?? []),
    faults,
    unplaced,
  };
}

interface FaultyDocument {
  readonly file: SourceFile;
  readonly range: DocumentRange;
  /** It is another than in the last good inputs. */
  readonly isChanged: boolean;
}

/** What an error of one proxy says of its own workload is no matter of any other: the workload stays what it is. */
function isWorkload({ file, range }: FaultyDocument): boolean {
  const text = file.text.slice(range.start, range.end);
  const objects = parse([{ path: file.path, text }], new DiagnosticBag());
  return objects.length > 0 && objects.every(({ value }) => isWorkloadKind(String(value.kind)));
}

/** Finds documents at fault; each file is cut once. */
class FaultSearch {
  readonly cuts = new CutFiles();
  readonly #files: ReadonlyMap<string, SourceFile>;
  readonly #known: ReadonlySet<string>;
  readonly #blamesAll: boolean;
  /** Many errors may point into one document, which may be large. */
  readonly #judged = new Map<DocumentRange, FaultyDocument>();

  /** `blamesAll`: where nothing that changed is at fault, what is as it was may be. */
  constructor(files: readonly SourceFile[], versions: ReadonlyMap<string, GoodVersion>, blamesAll: boolean) {
    this.#blamesAll = blamesAll;
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#known = new Set([...versions.values()].map(({ path, text }) => `${path}\n${text}`));
  }

  /** The documents that are to blame for an error. What an unchanged object suffers from is the change of another. */
  faultsOf({ code, span, related }: Diagnostic): readonly FaultyDocument[] {
    const own = this.#documentAt(span);
    const others = related.flatMap((place) => this.#documentAt(place.span) ?? []);
    const changed = others.filter(({ isChanged }) => isChanged);
    // Of two of one name, nobody knows which one is meant.
    if (own?.isChanged) return this.#blamesAll && code === 'duplicate-object' ? [own, ...changed] : [own];
    if (changed.length > 0 || !this.#blamesAll) return changed;
    return own === undefined ? others : [own];
  }

  #documentAt(span: SourceSpan | undefined): FaultyDocument | undefined {
    const file = span && this.#files.get(span.file);
    if (span === undefined || file === undefined) return undefined;
    // A fault at the end of a text stands in its last document.
    const range = this.cuts.rangeEndingAfter(file, span.start);
    if (range === undefined || span.start < range.start) return undefined;
    const judged = this.#judged.get(range) ?? {
      file,
      range,
      isChanged: !isLastGood(file.path) && !this.#isKnown(file, range),
    };
    this.#judged.set(range, judged);
    return judged;
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
  errors: readonly Diagnostic[],
  files: readonly SourceFile[],
  versions: ReadonlyMap<string, GoodVersion>,
): readonly Identity[] {
  const text = file.text.slice(range.start, range.end);
  const objects = parse([{ path: file.path, text }], new DiagnosticBag()).map(({ value }) => value);
  if (objects.length > 0) {
    const identities = objects.map((object) => ({ object, key: keyOf(object) }));
    const unknown = unknownFields(errors, file);
    const isKnown = ({ object, key }: Identity): boolean =>
      isNamed(object) && (versions.get(key)?.path === file.path || !mayMeanNamespace(object, unknown));
    return identities.every(isKnown) ? identities : [];
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
  faulty: readonly FaultyDocument[],
  kept: ReadonlyMap<string, SourceFile>,
): SourceFile[] {
  const ranges = new Map<SourceFile, DocumentRange[]>();
  for (const { file, range } of faulty) {
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

/** The keys that errors call unknown. */
function unknownFields(errors: readonly Diagnostic[], file: SourceFile): readonly string[] {
  return errors.flatMap(({ code, span }) => {
    if (code !== 'unknown-field' || span?.file !== file.path) return [];
    return [file.text.slice(span.start, span.end).replace(/^(["'])(.*)\1$/, '$2')];
  });
}

/** An object without a namespace, beside whose name an unknown field stands: that may be the namespace, misspelled. */
function mayMeanNamespace(object: JsonObject, unknown: readonly string[]): boolean {
  const metadata = object.metadata as JsonObject;
  if (metadata.namespace !== undefined) return false;
  return unknown.some((field) => Object.hasOwn(metadata, field) || Object.hasOwn(object, field));
}

/** One of the same kind and name in another namespace is another object. */
function namesObject(text: string, object: JsonObject): boolean {
  const { kind, namespace, name } = nameOf(object);
  const says = (field: string, value: string): boolean =>
    new RegExp(`["']?\\b${field}["']?\\s*:\\s*["']?${value.replaceAll(/[^\w]/g, '\\$&')}(?![\\w.-])`).test(text);
  const isUnsaid = namespace === '' || (namespace === 'default' && !/\bnamespace\b/.test(text));
  return says('kind', kind) && says('name', name) && (isUnsaid || says('namespace', namespace));
}
