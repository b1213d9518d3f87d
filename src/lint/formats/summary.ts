import type { Severity } from '../../diagnostics/registry.ts';
import type { Finding } from '../finding.ts';
import type { LintResult } from '../lint.ts';

/** Lines for standard error: what was found, what is not shown, and which rules could not look. */
export function formatLintSummary(
  { findings, notChecked }: LintResult,
  shown: readonly Finding[],
  { fileCount, isFaulty }: { readonly fileCount: number; readonly isFaulty: boolean },
): string {
  const hidden = findings.length - shown.length;
  const files = `${fileCount} ${fileCount === 1 ? 'file' : 'files'}`;
  const more = hidden > 0 ? ` (${hidden} more below that severity are not shown)` : '';
  const lines = [`${countsOf(shown)} in ${files}${more}`];
  if (isFaulty) lines.push('not checked: no rule runs on an input with errors');
  if (notChecked.length > 0) {
    const list = notChecked.map(({ code, count }) => `${code} (${count})`).join(', ');
    lines.push(`not checked: no topology for ${list}`);
  }
  return `${lines.join('\n')}\n`;
}

const words: readonly (readonly [Severity, string])[] = [
  ['error', 'errors'],
  ['warning', 'warnings'],
  ['info', 'infos'],
];

/** `2 errors, 1 warning`; `no findings`. */
function countsOf(findings: readonly Finding[]): string {
  const parts = words.flatMap(([severity, plural]) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? severity : plural}`];
  });
  return parts.length === 0 ? 'no findings' : parts.join(', ');
}
