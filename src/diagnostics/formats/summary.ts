import type { PlacedDiagnostic } from '../placed.ts';

export interface Counts {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  /** Files that a diagnostic points into. */
  readonly files: number;
}

export function count(diagnostics: readonly PlacedDiagnostic[]): Counts {
  const of = (severity: string): number => diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  const files = new Set(diagnostics.flatMap(({ place }) => place?.file ?? []));
  return { errors: of('error'), warnings: of('warning'), infos: of('info'), files: files.size };
}

/** `2 errors, 1 warning in 1 of 7 files`. */
export function summary(counts: Counts, fileCount: number): string {
  const parts = [
    [counts.errors, 'error'],
    [counts.warnings, 'warning'],
    [counts.infos, 'info'],
  ] as const;
  const words = parts.flatMap(([n, word]) => (n === 0 ? [] : [`${n} ${word}${n === 1 || word === 'info' ? '' : 's'}`]));
  if (counts.files === 0) return words.join(', ');
  return `${words.join(', ')} in ${counts.files} of ${fileCount} file${fileCount === 1 ? '' : 's'}`;
}
