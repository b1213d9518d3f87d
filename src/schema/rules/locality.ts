import type { JsonPath } from '../../diagnostics/span.ts';
import type { LocalityLoadBalancing } from '../../policy/destination-rule.ts';
import type { Report } from '../rule.ts';

/** Reports shares that do not add up to 100, localities that overlap, and failovers within one region. */
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

/** `region`, `region/*` and `region/zone` each cover what lies below them. */
function checkOverlap(localities: readonly string[], pathOf: (index: number) => JsonPath, report: Report): void {
  const seen = new Map<string, string>();
  const aboveSeen = new Map<string, string>();
  for (const [i, locality] of localities.entries()) {
    const levels = levelsOf(locality);
    const own = levels.at(-1) ?? '';
    const other = levels.map((level) => seen.get(level)).find((found) => found !== undefined) ?? aboveSeen.get(own);
    if (other !== undefined) report('overlapping-localities', pathOf(i), { locality, other });
    seen.set(own, locality);
    for (const level of levels) aboveSeen.set(level, locality);
  }
}

/** What covers a locality, from everything down to itself: `""`, `eu`, `eu/zone-1`. */
function levelsOf(locality: string): string[] {
  const parts = locality.split('/');
  const named = parts.at(-1) === '*' ? parts.slice(0, -1) : parts;
  return ['', ...named.map((_, i) => named.slice(0, i + 1).join('/'))];
}
