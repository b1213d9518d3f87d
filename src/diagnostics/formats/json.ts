import type { Place, PlacedDiagnostic } from '../placed.ts';
import { count } from './summary.ts';
import { visibleInQuotes } from './visible.ts';

/**
 * One JSON object; `schemaVersion` moves when a field changes its meaning. Lines and columns count from 1, columns in
 * UTF-16 units.
 */
export function formatJson(diagnostics: readonly PlacedDiagnostic[], fileCount: number): string {
  const { errors, warnings, infos } = count(diagnostics);
  const json = {
    schemaVersion: 1,
    diagnostics: diagnostics.map(diagnosticJson),
    summary: { errors, warnings, infos, files: fileCount },
  };
  return visibleInQuotes(`${JSON.stringify(json, null, 2)}\n`);
}

/** One of them, as a value for `JSON.stringify`. */
export function diagnosticJson({ code, severity, message, place, hint, related }: PlacedDiagnostic): object {
  return {
    code,
    severity,
    message,
    ...(place === undefined ? {} : placeJson(place)),
    ...(hint === undefined ? {} : { hint }),
    related: related.map((other) => ({ message: other.message, ...placeJson(other.place) })),
  };
}

function placeJson({ file, start, end }: Place): object {
  return { file, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}
