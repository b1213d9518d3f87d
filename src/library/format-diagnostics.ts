import { formatGithub } from '../diagnostics/formats/github.ts';
import { formatJson } from '../diagnostics/formats/json.ts';
import { formatText } from '../diagnostics/formats/text.ts';
import type { CompileResult } from './result.ts';

/** The forms that `meshpol compile --diagnostics` prints: for people, for programs, for annotations on pull requests. */
export type DiagnosticsForm = 'text' | 'json' | 'github';

/** The diagnostics of a result as one text, which ends with a newline; empty for none, but in JSON. */
export function formatDiagnostics(
  { diagnostics, fileCount }: Pick<CompileResult, 'diagnostics' | 'fileCount'>,
  form: DiagnosticsForm = 'text',
): string {
  switch (form) {
    case 'text':
      return formatText(diagnostics, fileCount, diagnostics.length);
    case 'json':
      return formatJson(diagnostics, fileCount);
    case 'github':
      return formatGithub(diagnostics);
    default:
      throw new TypeError(`formatDiagnostics: the form is "${String(form)}", expected "text", "json" or "github"`);
  }
}
