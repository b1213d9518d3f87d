import type { SourceText } from '../../diagnostics/placed.ts';
import { lineStarts } from '../../diagnostics/span.ts';
import { lineKey, type PlacedSuppression } from './suppressed-place.ts';
import { parseSuppression } from './suppression.ts';

const word = 'meshpol-ignore';
const comment = /(^|\s)#\s*meshpol-ignore\s+([^\r\n]*)/;

/** Whether a text may hold such comments. */
export function mayHaveComments({ text }: SourceText): boolean {
  return text.includes(word);
}

/**
 * The comments `# meshpol-ignore CODE: reason`: behind a line for findings that begin in it, on a line of their own for the
 * next line that is neither blank nor a comment. `own` are the codes of a user's rules.
 */
export function commentSuppressions(
  files: readonly SourceText[],
  own: ReadonlySet<string>,
): readonly PlacedSuppression[] {
  return files.flatMap((file) => (mayHaveComments(file) ? ofFile(file, own) : []));
}

function ofFile({ path, text }: SourceText, own: ReadonlySet<string>): readonly PlacedSuppression[] {
  const starts = lineStarts(text);
  const lines = text.split('\n');
  const found: PlacedSuppression[] = [];
  // From the end: each comment needs the next line with content.
  let next: number | undefined;
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i] ?? '';
    const isContent = !/^\s*(#|$)/.test(line);
    if (isContent) next = i;
    const [whole, , asked = ''] = line.includes(word) ? (comment.exec(line) ?? []) : [];
    if (whole === undefined) continue;
    const from = starts[i] ?? 0;
    found.push({
      suppression: parseSuppression(asked, own),
      span: { file: path, start: from + line.indexOf(whole) + whole.indexOf('#'), end: from + line.trimEnd().length },
      target: lineKey(path, (next ?? i) + 1),
    });
  }
  return found.reverse();
}
