import { compareStrings } from '../lib/sort.ts';
import type { Diagnostic } from './bag.ts';
import type { Severity } from './registry.ts';
import { holdsKey, secretDocuments, withoutQuotes } from './secret-text.ts';
import { type LineColumn, lineAndColumn, lineStarts, type SourceSpan } from './span.ts';

/** Text that spans point into. `path` is what the user named. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/**
 * A span with what a reader needs of it; `lineText` is its first line, undefined when the file was not read, or holds a
 * Secret or a key there.
 */
export interface Place {
  readonly file: string;
  readonly start: LineColumn;
  readonly end: LineColumn;
  readonly lineText: string | undefined;
  /** Nothing of what stands there may be shown. */
  readonly isSecret: boolean;
}

/** What can be placed: a diagnostic, or what another reader of the mesh found. */
export interface Placeable extends Omit<Diagnostic, 'code'> {
  readonly code: string;
  /** Why it matters, where the message does not say it. */
  readonly why?: string;
}

/** A diagnostic whose offsets became lines and columns. */
export interface PlacedDiagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly place: Place | undefined;
  readonly why?: string;
  readonly hint: string | undefined;
  readonly related: readonly { readonly message: string; readonly place: Place }[];
}

/** They say which object it is, not what is in it. */
const quotesNamesOnly: ReadonlySet<string> = new Set([
  ...['duplicate-object', 'closing-gateway-secret', 'invalid-gateway-secret'],
]);

/** Diagnostics in the order in which people read them: by file, line, column, code; equal ones once; placeless ones first. */
export function placeDiagnostics(
  diagnostics: readonly Placeable[],
  files: readonly SourceText[],
): readonly PlacedDiagnostic[] {
  return placeEach(diagnostics, files).map(({ placed }) => placed);
}

/** The same, each with what it was made of, and with the places of other spans. */
export function placeEach<T extends Placeable>(
  items: readonly T[],
  files: readonly SourceText[],
): readonly { readonly item: T; readonly placed: PlacedDiagnostic; readonly placeOf: (span: SourceSpan) => Place }[] {
  const placeOf = placer(files);
  const seen = new Set<string>();
  return items
    .map((item) => ({ item, placed: placeOne(item, placeOf), placeOf }))
    .sort((a, b) => compare(a.placed, b.placed))
    .filter(({ placed: { code, message, place } }) => {
      const key = JSON.stringify([place?.file, place?.start, code, message]);
      return seen.size !== seen.add(key).size;
    });
}

function placeOne(item: Placeable, placeOf: (span: SourceSpan) => Place): PlacedDiagnostic {
  const { code, severity, message, span, why, hint, related } = item;
  const place = span && placeOf(span);
  const mayQuote = !place?.isSecret || quotesNamesOnly.has(code);
  return {
    code,
    severity,
    message: mayQuote ? message : withoutQuotes(message),
    place,
    ...(why === undefined ? {} : { why }),
    hint,
    related: related.map((other) => ({ message: other.message, place: placeOf(other.span) })),
  };
}

function compare(a: PlacedDiagnostic, b: PlacedDiagnostic): number {
  return (
    compareStrings(a.place?.file ?? '', b.place?.file ?? '') ||
    (a.place?.start.line ?? 0) - (b.place?.start.line ?? 0) ||
    (a.place?.start.column ?? 0) - (b.place?.start.column ?? 0) ||
    compareStrings(a.code, b.code) ||
    compareStrings(a.message, b.message)
  );
}

/** Looks through a file once, when the first diagnostic points into it: many may, even into one line. */
function placer(files: readonly SourceText[]): (span: SourceSpan) => Place {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const looks = new Map<string, FileLook>();
  return ({ file, start, end }) => {
    const text = texts.get(file);
    if (text === undefined) return { file, start: origin, end: origin, lineText: undefined, isSecret: false };
    const look = looks.get(file) ?? new FileLook(text);
    looks.set(file, look);
    const first = lineAndColumn(look.lines, start);
    const isSecret = look.isSecret(start);
    const lineText = isSecret ? undefined : look.lineText(first.line);
    return { file, start: first, end: lineAndColumn(look.lines, Math.max(start, end)), lineText, isSecret };
  };
}

/** What diagnostics ask of one file. */
class FileLook {
  readonly lines: readonly number[];
  readonly isSecret: (offset: number) => boolean;
  readonly #text: string;
  readonly #shown = new Map<number, string | undefined>();

  constructor(text: string) {
    this.#text = text;
    this.lines = lineStarts(text);
    this.isSecret = text.includes('Secret') ? secretDocuments(text) : () => false;
  }

  /** The line, counted from 1, unless it holds a key. */
  lineText(line: number): string | undefined {
    if (!this.#shown.has(line)) {
      const end = (this.lines[line] ?? this.#text.length + 1) - 1;
      const text = this.#text.slice(this.lines[line - 1] ?? 0, end).replace(/\r$/, '');
      this.#shown.set(line, holdsKey(text) ? undefined : text);
    }
    return this.#shown.get(line);
  }
}

const origin: LineColumn = { line: 1, column: 1 };
