import { isWorkloadKind } from '../compiler/reach.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { append } from '../lib/append.ts';
import { blanked, type DocumentRange } from '../source/cut.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';
import { closedStandIn } from './closed-stand-in.ts';
import { identitiesOf } from './fault-identities.ts';
import { FaultSearch, type FaultyDocument } from './fault-search.ts';
import { type GoodInputs, goodVersions, nameOfFile } from './good-versions.ts';
import { nameOf, type ObjectName } from './object-name.ts';

/** An object that is kept out of a compilation in its present form, and where that stands. */
export interface HeldObject extends ObjectName {
  readonly file: string;
  readonly line: number;
}

export interface Mended {
  /** Undefined where some object has no last valid version that could stand in for it, and may not be left out. */
  readonly files: readonly SourceFile[] | undefined;
  /** The invalid objects, as far as they can be determined. */
  readonly objects: readonly HeldObject[];
  /** One for each of them, and one for each document of which nobody knows what it is. */
  readonly faults: readonly Fault[];
  /** Errors that no document can be blamed for. */
  readonly unplaced: readonly Diagnostic[];
}

/** An invalid object or document whose current version is kept out of a compilation. */
export interface Fault {
  /** Undefined: a document of which nobody knows what it is. */
  readonly object: HeldObject | undefined;
  /** As it stands now, and as it was when it was last valid; empty where it cannot be read. */
  readonly texts: readonly JsonObject[];
  /** Its last valid version holds in its place; else the inputs were compiled without it. */
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
 * The inputs with the documents that errors point at in their last valid version. A document that was never good is left
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

/** What an error of one proxy says of its own workload is no matter of any other: the workload stays what it is. */
function isWorkload({ file, range }: FaultyDocument): boolean {
  const text = file.text.slice(range.start, range.end);
  const objects = parse([{ path: file.path, text }], new DiagnosticBag());
  return objects.length > 0 && objects.every(({ value }) => isWorkloadKind(String(value.kind)));
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

function contentStart({ file, range }: FaultyDocument): number {
  const text = file.text.slice(range.start, range.end);
  return range.start + (/^(?:---)?\s*/.exec(text)?.[0].length ?? 0);
}
