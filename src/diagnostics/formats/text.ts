import type { Place, PlacedDiagnostic } from '../placed.ts';
import { count, summary } from './summary.ts';
import { visible } from './visible.ts';

/** Characters of a source line that are shown; longer lines are cut around the caret. */
const lineWidth = 120;

/**
 * `file:line:col: severity: message [code]`, the source line with a caret, the hint, the related places; a summary at
 * the end.
 */
export function formatText(
  diagnostics: readonly PlacedDiagnostic[],
  fileCount: number,
  maxDiagnostics: number,
): string {
  if (diagnostics.length === 0) return '';
  return `${formatBlocks(diagnostics, maxDiagnostics)}${summary(count(diagnostics), fileCount)}\n`;
}

/** The same without the summary. */
export function formatBlocks(diagnostics: readonly PlacedDiagnostic[], maxDiagnostics: number): string {
  const shown = diagnostics.slice(0, maxDiagnostics).map(block);
  const hidden = diagnostics.length - shown.length;
  if (hidden > 0) shown.push(`${hidden} more not shown (--max-diagnostics ${maxDiagnostics})\n`);
  return shown.join('');
}

function block({ code, severity, message, place, why, hint, related }: PlacedDiagnostic): string {
  const lines = [`${place === undefined ? '' : `${position(place)}: `}${severity}: ${visible(message)} [${code}]`];
  if (place !== undefined) lines.push(...excerpt(place));
  if (why !== undefined) lines.push(`  why: ${visible(why)}`);
  if (hint !== undefined) lines.push(`  hint: ${visible(hint)}`);
  for (const other of related) lines.push(`  ${position(other.place)}: ${visible(other.message)}`);
  return `${lines.join('\n')}\n`;
}

function position({ file, start }: Place): string {
  return `${visible(file)}:${start.line}:${start.column}`;
}

/** The source line and below it a caret under the first character, tildes under the rest of the span. */
function excerpt({ start, end, lineText }: Place): string[] {
  if (lineText === undefined || lineText.trim() === '') return [];
  const column = start.column - 1;
  const from = column < lineWidth - 20 ? 0 : column - lineWidth / 2;
  const to = Math.min(lineText.length, from + lineWidth);
  const before = (from > 0 ? '…' : '') + visible(lineText.slice(from, column));
  const marked = end.line === start.line ? Math.min(end.column - 1, to) : to;
  const inside = visible(lineText.slice(column, Math.max(marked, column + 1)));
  const after = visible(lineText.slice(Math.max(marked, column + 1), to)) + (to < lineText.length ? '…' : '');
  return [
    `  ${before}${inside}${after}`.trimEnd(),
    `  ${' '.repeat(before.length)}^${'~'.repeat(Math.max(0, inside.trimEnd().length - 1))}`,
  ];
}
