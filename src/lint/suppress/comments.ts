import type { SourceText } from '../../diagnostics/placed.ts';
import { lineAndColumn, lineStarts, type SourceSpan } from '../../diagnostics/span.ts';
import type { Finding } from '../finding.ts';
import { parseSuppression, type Suppression } from './suppression.ts';

/** A suppression, where it stands, and what it is for. */
export interface PlacedSuppression {
  readonly suppression: Suppression;
  readonly span: SourceSpan;
  concerns(finding: Finding): boolean;
}

const word = 'meshpol-ignore';
const comment = /(^|\s)#\s*meshpol-ignore\s+([^\r\n]*)/;

/**
 * The comments `# meshpol-ignore CODE: reason`: behind a line for findings that begin in it, on a line of their own for the
 * next line that is neither blank nor a comment.
 */
export function commentSuppressions(files: readonly SourceText[]): readonly PlacedSuppression[] {
  return files.flatMap((file) => (file.text.includes(word) ? ofFile(file) : []));
}

function ofFile({ path, text }: SourceText): readonly PlacedSuppression[] {
  const starts = lineStarts(text);
  const lines = text.split('\n');
  return lines.flatMap((line, i) => {
    const [whole, , asked = ''] = comment.exec(line) ?? [];
    if (whole === undefined) return [];
    const start = (starts[i] ?? 0) + line.indexOf(whole) + whole.indexOf('#');
    const target = line.trim().startsWith('#') ? nextLine(lines, i) : i;
    return [
      {
        suppression: parseSuppression(asked),
        span: { file: path, start, end: (starts[i] ?? 0) + line.trimEnd().length },
        concerns: ({ span }: Finding) => span?.file === path && lineAndColumn(starts, span.start).line === target + 1,
      },
    ];
  });
}

/** Index of the next line with content. */
function nextLine(lines: readonly string[], from: number): number {
  const next = lines.slice(from + 1).findIndex((line) => !/^\s*(#.*)?$/.test(line));
  return next === -1 ? from : from + 1 + next;
}
