import type { SourceSpan } from '../../diagnostics/span.ts';

/** A user's template. `name` is its place in the folder: `bootstrap.json.hbs`, `partials/route.hbs`. */
export interface TemplateFile {
  readonly name: string;
  /** As the user named it, for messages. */
  readonly path: string;
  readonly text: string;
  /** It makes YAML, not JSON; a bootstrap template alone. */
  readonly isYaml?: boolean;
}

/** One file after parsing; `key` is the name of the template or partial. */
export interface ParsedTemplate {
  readonly file: TemplateFile;
  readonly key: string;
  readonly isPartial: boolean;
  readonly ast: hbs.AST.Program;
}

/** Span of a line of a template, or of one column in it; both count from 1. */
export function lineSpan(file: TemplateFile, line: number, column?: number): SourceSpan {
  let start = 0;
  for (let i = 1; i < line; i++) {
    const end = file.text.indexOf('\n', start);
    if (end === -1) break;
    start = end + 1;
  }
  if (column !== undefined) return { file: file.path, start: start + column - 1, end: start + column };
  const end = file.text.indexOf('\n', start);
  const blank = /^[ \t]*/.exec(file.text.slice(start))?.[0].length ?? 0;
  return { file: file.path, start: start + blank, end: end === -1 ? file.text.length : end };
}
