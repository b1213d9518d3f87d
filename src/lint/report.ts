import { type Place, type PlacedDiagnostic, placeEach, type SourceText } from '../diagnostics/placed.ts';
import type { Finding, NotChecked, Subject } from './finding.ts';
import { fingerprints } from './fingerprint.ts';
import type { LintResult } from './lint.ts';
import type { RunnableRule } from './rule.ts';
import { findRule } from './rule-index.ts';

/** A change of the text, by lines and columns. */
export interface PlacedFix {
  readonly title: string;
  readonly edits: readonly { readonly place: Place; readonly text: string }[];
}

/** A finding with lines and columns, and with what its rule says. */
export interface ReportedFinding {
  readonly placed: PlacedDiagnostic;
  readonly fingerprint: string;
  /** Undefined for what the compiler says. */
  readonly rule: RunnableRule | undefined;
  readonly subject: Subject | undefined;
  readonly fix: PlacedFix | undefined;
}

/** One run, as every output form has it. */
export interface LintReport {
  readonly findings: readonly ReportedFinding[];
  readonly notChecked: readonly NotChecked[];
  readonly fileCount: number;
  /** Where forms that must have a place put a finding without one: the first file. */
  readonly firstFile: string | undefined;
  readonly version: string;
  /** The input has errors, so that only rules ran that need nothing else of it. */
  readonly isFaulty: boolean;
}

/** Findings in the order in which people read them; `own` are the rules of a user that ran. */
export function reportOf(
  { findings, notChecked }: Pick<LintResult, 'findings' | 'notChecked'>,
  files: readonly SourceText[],
  run: Pick<LintReport, 'version' | 'isFaulty'>,
  own: readonly RunnableRule[] = [],
): LintReport {
  const placed = placeEach(findings, files);
  const keys = fingerprints(placed.map(({ item }) => item));
  return {
    ...run,
    notChecked,
    // A file that cannot be read as text is told of, and has none.
    fileCount: new Set([...files.map(({ path }) => path), ...findings.flatMap(({ span }) => span?.file ?? [])]).size,
    firstFile: files[0]?.path,
    findings: placed.map(({ item, placed: it, placeOf }, i) => ({
      placed: it,
      fingerprint: keys[i] ?? '',
      rule: findRule(item.code) ?? own.find(({ code }) => code === item.code),
      subject: item.subject,
      fix: placedFix(item, placeOf),
    })),
  };
}

function placedFix({ fix }: Finding, placeOf: (span: Finding['related'][number]['span']) => Place) {
  return fix && { title: fix.title, edits: fix.edits.map(({ span, text }) => ({ place: placeOf(span), text })) };
}
