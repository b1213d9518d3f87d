import type { SourceText } from '../../diagnostics/placed.ts';
import { lineAndColumn, lineStarts } from '../../diagnostics/span.ts';
import { append } from '../../lib/append.ts';
import type { Finding } from '../finding.ts';
import { rule as idleRule } from '../rules/suppression-without-effect.ts';
import { mayHaveComments } from './comments.ts';
import { lineKey, objectKey, type PlacedSuppression } from './suppressed-place.ts';
import { faultOf } from './suppression.ts';

/** What is left after suppressions, and how many findings they took. */
export interface Suppressed {
  readonly findings: readonly Finding[];
  readonly suppressed: number;
}

/** How a run judges suppressions. */
export interface SuppressionRun {
  readonly files: readonly SourceText[];
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether a rule looked at everything: a suppression of another may be needed all the same. */
  readonly hasRun: (code: string) => boolean;
}

/**
 * Leaves out what is suppressed, and adds a finding for each suppression that has expired, is of no rule, gives no reason
 * or takes nothing. Errors that the compiler has itself cannot be suppressed.
 */
export function suppress(
  findings: readonly Finding[],
  suppressions: readonly PlacedSuppression[],
  { files, today, hasRun }: SuppressionRun,
): Suppressed {
  if (suppressions.length === 0) return { findings, suppressed: 0 };
  const idle: Finding[] = [];
  const inForce = new Map<string, PlacedSuppression[]>();
  for (const placed of suppressions) {
    const fault = faultOf(placed.suppression, today);
    if (fault !== undefined) idle.push(idleFinding(placed, fault));
    else append(inForce, `${placed.suppression.code} ${placed.target}`, placed);
  }
  const targetsOf = targets(files);
  const used = new Set<PlacedSuppression>();
  const kept = findings.filter((finding) => {
    if (finding.severity === 'error' && finding.why === undefined) return true;
    const taking = targetsOf(finding).flatMap((target) => inForce.get(`${finding.code} ${target}`) ?? []);
    for (const placed of taking) used.add(placed);
    return taking.length === 0;
  });
  for (const placed of [...inForce.values()].flat()) {
    if (used.has(placed) || !hasRun(placed.suppression.code ?? '')) continue;
    idle.push(idleFinding(placed, 'there is no such finding here'));
  }
  return { findings: [...kept, ...(hasRun(idleRule.code) ? idle : [])], suppressed: findings.length - kept.length };
}

/** What suppressions may name for a finding: the line in which it begins, and its object. */
function targets(files: readonly SourceText[]): (finding: Finding) => readonly string[] {
  const starts = new Map(files.filter(mayHaveComments).map(({ path, text }) => [path, lineStarts(text)]));
  return ({ span, subject }) => {
    const lines = span && starts.get(span.file);
    return [
      ...(lines === undefined ? [] : [lineKey(span?.file ?? '', lineAndColumn(lines, span?.start ?? 0).line)]),
      ...(subject === undefined ? [] : [objectKey(subject)]),
    ];
  };
}

function idleFinding({ suppression, span }: PlacedSuppression, fault: string): Finding {
  const { code, severity, why, hint } = idleRule;
  return { code, severity, message: `"${suppression.name}" is not suppressed: ${fault}`, why, hint, span, related: [] };
}
