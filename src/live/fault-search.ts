import type { Diagnostic } from '../diagnostics/bag.ts';
import type { SourceSpan } from '../diagnostics/span.ts';
import type { DocumentRange } from '../source/cut.ts';
import type { SourceFile } from '../source/document.ts';
import { CutFiles } from './cut-files.ts';
import { type GoodVersion, isLastValid } from './good-versions.ts';

/** A document that errors point at. */
export interface FaultyDocument {
  readonly file: SourceFile;
  readonly range: DocumentRange;
  /** It is another than in the last valid inputs. */
  readonly isChanged: boolean;
}

/** Finds invalid documents; each file is split into documents once. */
export class FaultSearch {
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
      isChanged: !isLastValid(file.path) && !this.#isKnown(file, range),
    };
    this.#judged.set(range, judged);
    return judged;
  }

  #isKnown(file: SourceFile, { start, end }: DocumentRange): boolean {
    return this.#known.has(`${file.path}\n${file.text.slice(start, end)}`);
  }
}
