import type { LintReport, ReportedFinding } from './report.ts';

/** Findings that were there when the baseline was written. */
export interface Baseline {
  readonly schemaVersion: 1;
  readonly findings: readonly {
    readonly fingerprint: string;
    readonly code: string;
    readonly file?: string;
    readonly message: string;
  }[];
}

/** The findings of a report as a baseline: sorted, so that a diff of it shows what was added. Errors of the compiler are left out. */
export function baselineOf({ findings }: LintReport): Baseline {
  const entries = findings.filter(mayBeKnown).map(({ fingerprint, placed: { code, place, message } }) => ({
    ...{ fingerprint, code, ...(place && { file: place.file }), message },
  }));
  const key = (entry: (typeof entries)[number]): string => [entry.code, entry.file, entry.fingerprint].join('\n');
  return { schemaVersion: 1, findings: entries.sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
}

/** Undefined for a text that is no baseline. */
export function parseBaseline(text: string): Baseline | undefined {
  try {
    const value = JSON.parse(text) as Baseline;
    const isSound =
      value.schemaVersion === 1 && value.findings.every(({ fingerprint }) => typeof fingerprint === 'string');
    return isSound ? value : undefined;
  } catch {
    // No JSON, or JSON of another shape: the caller says so.
    return undefined;
  }
}

/** A report without the findings that a baseline knows, how many these are, and how many of the baseline are gone. */
export function withoutKnown(
  report: LintReport,
  baseline: Baseline,
): { readonly report: LintReport; readonly known: number; readonly gone: number } {
  const keys = new Set(baseline.findings.map(({ fingerprint }) => fingerprint));
  const known = report.findings.filter((finding) => mayBeKnown(finding) && keys.has(finding.fingerprint));
  const left = new Set(known);
  return {
    report: { ...report, findings: report.findings.filter((finding) => !left.has(finding)) },
    known: known.length,
    gone: keys.size - new Set(known.map(({ fingerprint }) => fingerprint)).size,
  };
}

/** What does not compile is never accepted. */
function mayBeKnown({ rule, placed }: ReportedFinding): boolean {
  return rule !== undefined || placed.severity !== 'error';
}
