import { markdownCell } from '../../diagnostics/formats/markdown-cell.ts';
import type { ReplayReport } from '../replay/replay-report.ts';
import { countsText, deciderText, lineText, whatText } from './replay-text.ts';

/** A table of all groups, for a comment on a change. */
export function formatReplayMarkdown(report: ReplayReport): string {
  const rows = report.groups.map((group) => {
    const { verdict, lines, decidedBy, lacks = [], clients, first } = group;
    const why = decidedBy === undefined ? lacks.join('; ') : deciderText(decidedBy);
    const example = first[0] === undefined ? '' : lineText(first[0]);
    const cells = [verdict, String(lines), whatText(group), why, String(clients.length), example];
    return `| ${cells.map(markdownCell).join(' | ')} |`;
  });
  const others = report.notCompared.map(
    ({ why, lines, first }) => `| not compared | ${lines} |  | ${markdownCell(why)} |  | ${markdownCell(first)} |`,
  );
  const all = [...rows, ...others];
  const table =
    all.length === 0
      ? []
      : ['', '| verdict | lines | answer | why | clients | first line |', '|---|---|---|---|---|---|', ...all];
  return [`**meshpol replay: ${countsText(report)}**`, ...table, ''].join('\n');
}
