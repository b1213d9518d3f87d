import { formatPath } from '../../diagnostics/json-path.ts';
import type { Place } from '../../diagnostics/placed.ts';
import type { LintReport, ReportedFinding } from '../report.ts';

/**
 * One JSON object (docs/reference/meshpol-lint.md); `schemaVersion` moves when a field changes its meaning. Lines and
 * columns count from 1, columns in UTF-16 units.
 */
export function lintJson({ findings, notChecked, fileCount, version, isFaulty }: LintReport): object {
  const count = (severity: string): number => findings.filter(({ placed }) => placed.severity === severity).length;
  return {
    schemaVersion: 1,
    tool: { name: 'meshpol', version },
    findings: findings.map(findingJson),
    notChecked,
    summary: {
      ...{ errors: count('error'), warnings: count('warning'), infos: count('info') },
      ...{ files: fileCount, isComplete: !isFaulty },
    },
  };
}

/** The same as text. */
export function formatLintJson(report: LintReport): string {
  return `${JSON.stringify(lintJson(report), null, 2)}\n`;
}

function findingJson({ placed, fingerprint, rule, subject, fix }: ReportedFinding): object {
  const { code, severity, message, place, why, hint, related } = placed;
  return {
    ...{ code, ...(rule && { id: rule.id }), severity, message },
    ...(why && { why }),
    ...(hint && { hint }),
    ...(place && placeJson(place)),
    ...(subject && { object: { ...subject, path: undefined, field: formatPath(subject.path) } }),
    ...(rule && { category: rule.category, direction: rule.direction, confidence: rule.confidence }),
    related: related.map((other) => ({ message: other.message, ...placeJson(other.place) })),
    fingerprint,
    ...(fix && {
      fix: { title: fix.title, edits: fix.edits.map(({ place: at, text }) => ({ ...placeJson(at), text })) },
    }),
  };
}

function placeJson({ file, start, end }: Place): object {
  return { file, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}
