import type { JsonPath, SourceSpan, SpanSource } from '../diagnostics/span.ts';

/** Text of one input, as read. `path` is what the user named, with forward slashes; `-` for stdin. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Found below a folder that was named, where other programs' files may lie too. */
  readonly isFound?: true;
  /** Its size was checked against a limit of the user's own when it was read: the default limit does not hold for it. */
  readonly isSizeChecked?: true;
}

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** One object of the input: a YAML document, a JSON text, or one item of a `kind: List`. */
export interface PolicyDocument extends SpanSource {
  readonly file: string;
  /** Of a file that was found in a folder (`SourceFile.isFound`). */
  readonly isFound?: boolean;
  /** Empty for a list or a scalar of such a file. */
  readonly value: JsonObject;
  /** Where the document begins; known without building a position tree. */
  readonly start: SourceSpan;
  spanOf(path: JsonPath, part?: 'key' | 'value'): SourceSpan;
}
