import type { LintEdit, LintFinding } from '../contracts/lint-report.ts';
import { lineStarts } from '../diagnostics/span.ts';
import { applyFixes as applyByOffset } from '../lint/apply-fixes.ts';
import type { NamedText } from './input.ts';

/**
 * The text after the fixes of these findings: what no edit touches stays as it is. Of fixes that overlap the first one is
 * made; lint again for the others. The text must be the one that was linted.
 */
export function applyFixes({ path, text }: NamedText, findings: readonly Pick<LintFinding, 'fix'>[]): string {
  const starts = lineStarts(text);
  const offset = (line: number, column: number): number => {
    const start = starts[line - 1];
    if (start === undefined || start + column - 1 > text.length) {
      throw new TypeError(
        `applyFixes: "${path}" has no line ${line}, column ${column}: it is not the text that was linted`,
      );
    }
    return start + column - 1;
  };
  const spanOf = ({ file, line, column, endLine, endColumn }: LintEdit) => ({
    file,
    start: offset(line, column),
    end: offset(endLine, endColumn),
  });
  const fixes = findings.flatMap(({ fix }) =>
    fix === undefined
      ? []
      : [
          {
            title: fix.title,
            edits: fix.edits
              .filter(({ file }) => file === path)
              .map((edit) => ({ span: spanOf(edit), text: edit.text })),
          },
        ],
  );
  return applyByOffset(path, text, fixes);
}
