import type { SourceSpan } from '../diagnostics/span.ts';
import { append } from '../lib/append.ts';
import type { Finding } from './finding.ts';
import type { RunnableRule } from './rule.ts';

/** One cause gives one finding: leaves out what another finding says better of the same place, or of a place
 * that it relates to. */
export function withoutOutranked(findings: readonly Finding[], rules: readonly RunnableRule[]): readonly Finding[] {
  const outranked = new Map(rules.flatMap((rule) => (rule.outranks ? [[rule.code, new Set(rule.outranks)]] : [])));
  const better = findings.filter(({ code, span }) => span !== undefined && outranked.has(code));
  if (better.length === 0) return findings;
  const losers = new Set(better.flatMap(({ code }) => [...(outranked.get(code) ?? [])]));
  const byFile = new Map<string, Finding[]>();
  for (const finding of better) {
    for (const file of new Set(placesOf(finding).map((place) => place.file))) append(byFile, file, finding);
  }
  return findings.filter(({ code, span }) => {
    if (span === undefined || !losers.has(code)) return true;
    const rivals = byFile.get(span.file) ?? [];
    return !rivals.some((other) => outranked.get(other.code)?.has(code) && tellsOf(other, span));
  });
}

function tellsOf(finding: Finding, place: SourceSpan): boolean {
  return placesOf(finding).some((it) => it.file === place.file && overlap(it, place));
}

function placesOf({ span, related }: Finding): readonly SourceSpan[] {
  return [span, ...related.map((it) => it.span)].filter((it) => it !== undefined);
}

function overlap(a: SourceSpan, b: SourceSpan): boolean {
  return a.start < b.end && b.start < a.end;
}
