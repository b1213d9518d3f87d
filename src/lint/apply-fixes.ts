import { sortedBy } from '../lib/sort.ts';
import type { Fix, TextEdit } from './finding.ts';

/**
 * The text of one file after the fixes, made by position: what no edit touches stays as it is, comments too. Of fixes
 * that overlap the first one is made; the others need another run.
 */
export function applyFixes(path: string, text: string, fixes: readonly Fix[]): string {
  const made: TextEdit[] = [];
  for (const { edits } of fixes) {
    const own = edits.filter(({ span }) => span.file === path);
    if (!own.some((edit) => made.some((other) => overlap(edit, other)))) made.push(...own);
  }
  let result = '';
  let end = 0;
  for (const { span, text: replacement } of sortedBy(made, ({ span: { start } }) => start)) {
    result += text.slice(end, span.start) + replacement;
    end = span.end;
  }
  return result + text.slice(end);
}

function overlap({ span: a }: TextEdit, { span: b }: TextEdit): boolean {
  return a.start < b.end && b.start < a.end;
}
