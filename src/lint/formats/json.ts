import {
  type LintFinding,
  type LintPlace,
  type LintReportFile,
  lintReportVersion,
} from '../../contracts/lint-report.ts';
import { visibleInQuotes } from '../../diagnostics/formats/visible.ts';
import { formatPath } from '../../diagnostics/json-path.ts';
import type { Place } from '../../diagnostics/placed.ts';
import type { Subject } from '../finding.ts';
import type { LintReport, ReportedFinding } from '../report.ts';
import { docsOf } from './docs.ts';

/**
 * One JSON object (docs/reference/meshpol-lint.md); `schemaVersion` moves when a field changes its meaning. Lines and
 * columns count from 1, columns in UTF-16 units.
 */
export function lintJson({ findings, notChecked, fileCount, version, isFaulty }: LintReport): LintReportFile {
  const count = (severity: string): number => findings.filter(({ placed }) => placed.severity === severity).length;
  return {
    schemaVersion: lintReportVersion,
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
  return visibleInQuotes(`${JSON.stringify(lintJson(report), null, 2)}\n`);
}

function findingJson({ placed, fingerprint, rule, subject, fix }: ReportedFinding): LintFinding {
  const { code, severity, message, place, why, hint, related } = placed;
  const docs = docsOf(rule, code);
  return {
    ...{ code, ...(rule?.id && { id: rule.id }), severity, message },
    ...(why && { why }),
    ...(hint && { hint }),
    ...(docs && { docs }),
    ...(place && placeJson(place)),
    ...(subject && { object: objectJson(subject) }),
    ...(rule && { category: rule.category, direction: rule.direction, confidence: rule.confidence }),
    related: related.map((other) => ({ message: other.message, ...placeJson(other.place) })),
    fingerprint,
    ...(fix && {
      fix: { title: fix.title, edits: fix.edits.map(({ place: at, text }) => ({ ...placeJson(at), text })) },
    }),
  };
}

function objectJson({ kind, namespace, name, path }: Subject): NonNullable<LintFinding['object']> {
  return { kind, namespace, name, field: formatPath(path) };
}

function placeJson({ file, start, end }: Place): LintPlace {
  return { file, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}
