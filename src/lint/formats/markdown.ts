import { markdownCell as cell } from '../../diagnostics/formats/markdown-cell.ts';
import type { LintReport } from '../report.ts';
import { formatCounts, formatNotChecked } from './summary.ts';

/** For comments and summaries of jobs: a table, one row a finding. */
export function formatMarkdown(report: LintReport): string {
  const { findings } = report;
  const rows = findings.map(({ placed: { code, severity, message, place, hint } }) => {
    const at = place === undefined ? '' : `<code>${cell(`${place.file}:${place.start.line}`)}</code>`;
    return `| ${severity} | ${at} | ${cell(message)} | ${cell(hint ?? '')} | ${code} |\n`;
  });
  const head = '| severity | where | what | what to do | rule |\n|---|---|---|---|---|\n';
  const lines = [formatCounts(report), ...formatNotChecked(report)].map((line) => `${cell(line)}\n`);
  return `## meshpol lint\n\n${lines.join('\n')}${rows.length === 0 ? '' : `\n${head}${rows.join('')}`}`;
}
