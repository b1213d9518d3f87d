import type { JsonPath } from '../../../diagnostics/span.ts';
import type { LocalityLoadBalancing } from '../../policy/destination-rule.ts';
import type { Report } from '../rule.ts';

/** Shares that add up, localities that do not overlap, failovers between different regions. */
export function checkLocalityLoadBalancing(setting: LocalityLoadBalancing, path: JsonPath, report: Report): void {
  const distribute = setting.distribute ?? [];
  const sources = distribute.map(({ from }) => from);
  checkOverlap(sources, (i) => [...path, 'distribute', i, 'from'], report);
  for (const [i, { from, to }] of distribute.entries()) {
    const total = Object.values(to).reduce((sum, share) => sum + share, 0);
    if (total !== 100) {
      report('locality-weight-total-not-100', [...path, 'distribute', i, 'to'], { from, total: String(total) });
    }
    const targets = Object.keys(to);
    checkOverlap(targets, (j) => [...path, 'distribute', i, 'to', targets[j] ?? ''], report);
  }
  for (const [i, { from, to }] of (setting.failover ?? []).entries()) {
    if (from !== to && !/[/*]/.test(from + to)) continue;
    report('invalid-failover', [...path, 'failover', i], { from, to });
  }
}

function checkOverlap(localities: readonly string[], pathOf: (index: number) => JsonPath, report: Report): void {
  for (const [i, locality] of localities.entries()) {
    const other = localities.slice(0, i).find((before) => covers(before, locality) || covers(locality, before));
    if (other !== undefined) report('overlapping-localities', pathOf(i), { locality, other });
  }
}

/** `region`, `region/*` and `region/zone` each cover what lies below them. */
function covers(outer: string, inner: string): boolean {
  const outerParts = withoutWildcard(outer);
  const innerParts = withoutWildcard(inner);
  return outerParts.every((part, i) => part === innerParts[i]);
}

function withoutWildcard(locality: string): string[] {
  const parts = locality.split('/');
  return parts.at(-1) === '*' ? parts.slice(0, -1) : parts;
}
