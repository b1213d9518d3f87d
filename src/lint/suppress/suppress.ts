import { append } from '../../lib/append.ts';
import type { Finding } from '../finding.ts';
import { rule as idleRule } from '../rules/suppression-without-effect.ts';
import type { PlacedSuppression } from './comments.ts';
import { faultOf } from './suppression.ts';

/** What is left after suppressions, and how many findings they took. */
export interface Suppressed {
  readonly findings: readonly Finding[];
  readonly suppressed: number;
}

/** How a run judges suppressions. */
export interface SuppressionRun {
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
  { today, hasRun }: SuppressionRun,
): Suppressed {
  if (suppressions.length === 0) return { findings, suppressed: 0 };
  const idle: Finding[] = [];
  const inForce = new Map<string, PlacedSuppression[]>();
  for (const placed of suppressions) {
    const fault = faultOf(placed.suppression, today);
    if (fault !== undefined) idle.push(idleFinding(placed, fault));
    else append(inForce, placed.suppression.code ?? '', placed);
  }
  const used = new Set<PlacedSuppression>();
  const kept = findings.filter((finding) => {
    if (finding.severity === 'error' && finding.why === undefined) return true;
    const taking = inForce.get(finding.code)?.filter((placed) => placed.concerns(finding)) ?? [];
    for (const placed of taking) used.add(placed);
    return taking.length === 0;
  });
  for (const [code, placed] of inForce) {
    const unused = hasRun(code) ? placed.filter((it) => !used.has(it)) : [];
    idle.push(...unused.map((it) => idleFinding(it, 'there is no such finding here')));
  }
  return { findings: [...kept, ...(hasRun(idleRule.code) ? idle : [])], suppressed: findings.length - kept.length };
}

function idleFinding({ suppression, span }: PlacedSuppression, fault: string): Finding {
  const { code, severity, why, hint } = idleRule;
  return { code, severity, message: `"${suppression.name}" is not suppressed: ${fault}`, why, hint, span, related: [] };
}
