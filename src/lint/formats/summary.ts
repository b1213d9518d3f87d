import type { Severity } from '../../diagnostics/registry.ts';
import type { LintReport } from '../report.ts';
import { docsOf } from './docs.ts';

/** Lines for standard error: what was found, what is not shown, and which rules could not look. */
export function formatLintSummary(report: LintReport, hidden: readonly Hidden[] = []): string {
  const more = hidden.filter(({ count }) => count > 0).map(({ count, why }) => `${count} ${why}`);
  const counts = formatCounts(report) + (more.length === 0 ? '' : ` (${more.join(', ')})`);
  const fixable = report.findings.filter(({ fix }) => fix !== undefined).length;
  const fixes = fixable === 0 ? [] : [`${fixable} of them can be fixed with --fix`];
  return `${[counts, ...fixes, ...formatExplanation(report), ...formatNotChecked(report)].join('\n')}\n`;
}

/** Where a reader of the text learns more: of the first of the gravest findings, so that the command can be copied. */
function formatExplanation({ findings }: LintReport): readonly string[] {
  const [first] = words.flatMap(([severity]) => findings.find(({ placed }) => placed.severity === severity) ?? []);
  const isOurs = first !== undefined && docsOf(first.rule, first.placed.code) !== undefined;
  return isOurs ? [`explained by: meshpol rules ${first.placed.code}`] : [];
}

/** Findings that are not shown, and why: `3 below warning not shown`. */
export interface Hidden {
  readonly count: number;
  readonly why: string;
}

const words: readonly (readonly [Severity, string])[] = [
  ['error', 'errors'],
  ['warning', 'warnings'],
  ['info', 'infos'],
];

/** `2 errors, 1 warning in 7 files`; `no findings in 1 file`. */
export function formatCounts({ findings, fileCount }: LintReport): string {
  const parts = words.flatMap(([severity, plural]) => {
    const count = findings.filter(({ placed }) => placed.severity === severity).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? severity : plural}`];
  });
  const files = `${fileCount} ${fileCount === 1 ? 'file' : 'files'}`;
  return `${parts.length === 0 ? 'no findings' : parts.join(', ')} in ${files}`;
}

/** Why a rule did not look at so many objects. */
export function whyNotChecked({ isFaulty }: Pick<LintReport, 'isFaulty'>): string {
  return isFaulty ? 'objects with errors could make its findings untrue' : 'no topology';
}

/** So many rules are named beside errors, where it may be most of them. */
const mostNamed = 8;

/** At most one line a reason. */
export function formatNotChecked({ isFaulty, notChecked }: LintReport): readonly string[] {
  const rules = notChecked.map(({ code, count }) => `${code} (${count})`);
  if (isFaulty) {
    const more = rules.length > mostNamed ? [`${rules.length - mostNamed} more`] : [];
    const named = [...rules.slice(0, mostNamed), ...more].join(', ');
    const others = named === '' ? '' : `; nor rules whose findings these could make untrue: ${named}`;
    return [`not checked: the objects with errors, by most rules${others}; correct the errors, and run again`];
  }
  return rules.length === 0 ? [] : [`not checked: no topology for ${rules.join(', ')}`];
}
