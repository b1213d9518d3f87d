import { lineAndColumn, lineStarts } from '../diagnostics/span.ts';
import { cutDocuments, type DocumentRange } from '../source/cut.ts';
import type { SourceFile } from '../source/document.ts';

interface Cut {
  readonly ranges: readonly DocumentRange[];
  readonly lines: readonly number[];
}

/** Documents and lines of files, each file gone through once however often it is asked for. */
export class CutFiles {
  readonly #cuts = new Map<SourceFile, Cut>();

  /** The document that holds the offset. */
  rangeAt(file: SourceFile, offset: number): DocumentRange | undefined {
    const range = this.rangeEndingAfter(file, offset);
    return range !== undefined && range.start <= offset ? range : undefined;
  }

  /** The first document that ends behind the offset; the last document where none does. */
  rangeEndingAfter(file: SourceFile, offset: number): DocumentRange | undefined {
    const { ranges } = this.#of(file);
    let low = 0;
    let high = ranges.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.end ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return ranges[low];
  }

  /** Line of an offset, counted from 1. */
  lineAt(file: SourceFile, offset: number): number {
    return lineAndColumn(this.#of(file).lines, offset).line;
  }

  #of(file: SourceFile): Cut {
    const known = this.#cuts.get(file);
    if (known !== undefined) return known;
    const cut = { ranges: cutDocuments(file.text), lines: lineStarts(file.text) };
    this.#cuts.set(file, cut);
    return cut;
  }
}
