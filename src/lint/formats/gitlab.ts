import { visibleInQuotes } from '../../diagnostics/formats/visible.ts';
import type { Severity } from '../../diagnostics/registry.ts';
import type { LintReport } from '../report.ts';

const severities: Readonly<Record<Severity, string>> = { error: 'major', warning: 'minor', info: 'info' };

/** GitLab's code quality report: what a merge request shows of it. A finding without a place stands at the first file. */
export function formatGitlab({ findings, firstFile = '.' }: LintReport): string {
  const issues = findings.map(({ placed: { code, severity, message, place, hint }, fingerprint }) => ({
    description: hint === undefined ? message : `${message}; ${hint}`,
    check_name: code,
    fingerprint,
    severity: severities[severity],
    location: { path: place?.file ?? firstFile, lines: { begin: place?.start.line ?? 1, end: place?.end.line ?? 1 } },
  }));
  return visibleInQuotes(`${JSON.stringify(issues, null, 2)}\n`);
}
