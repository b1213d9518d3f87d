/** Offsets into a text. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** A place in a source file, as offsets into its text; line and column are computed only when something is printed. */
export interface SourceSpan extends OffsetRange {
  readonly file: string;
  /** The beginning of a document, in place of a field of it whose own place is not known: of very large ones. */
  readonly isVague?: true;
}

/** Keys and indexes from the root of a document: `['spec', 'mtls', 'mode']`. */
export type JsonPath = readonly (string | number)[];

/** Whatever can say where one of its fields stands. Positions are found on demand: most runs never ask. */
export interface SpanSource {
  readonly file: string;
  /** Span of the value at `path`, or of its key; of the nearest existing ancestor when the path does not exist. */
  spanOf(path: JsonPath, part?: 'key' | 'value'): SourceSpan;
}

export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** Start offset of each line of `text`. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

/** Line and column of `offset`, both counted from 1, the column in UTF-16 units. */
export function lineAndColumn(starts: readonly number[], offset: number): LineColumn {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
