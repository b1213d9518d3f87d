import type { Diagnostic } from './bag.ts';
import { formatGithub } from './formats/github.ts';
import { formatJson } from './formats/json.ts';
import { formatText } from './formats/text.ts';
import { placeDiagnostics, type SourceText } from './placed.ts';

/** For people, for programs, and for annotations on pull requests. */
export type DiagnosticsForm = 'text' | 'json' | 'github';

export interface FormatOptions {
  /** Diagnostics printed before the rest is only counted. JSON is never cut. */
  readonly maxDiagnostics?: number;
}

/** Printed form, sorted, with a newline at the end; empty for no diagnostics (but JSON says so). */
export function format(
  diagnostics: readonly Diagnostic[],
  files: readonly SourceText[],
  form: DiagnosticsForm,
  { maxDiagnostics = 50 }: FormatOptions = {},
): string {
  const placed = placeDiagnostics(diagnostics, files);
  const fileCount = new Set([...files.map(({ path }) => path), ...placed.flatMap(({ place }) => place?.file ?? [])])
    .size;
  switch (form) {
    case 'text':
      return formatText(placed, fileCount, maxDiagnostics);
    case 'json':
      return formatJson(placed, fileCount);
    case 'github':
      return formatGithub(placed.slice(0, maxDiagnostics));
  }
}
