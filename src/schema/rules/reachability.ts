import type { HttpMatch, VirtualService } from '../../policy/virtual-service.ts';
import type { Report } from '../rule.ts';

/** Reports routes that are never used: those after a route that matches everything, and repeated matches. */
export function checkReachability({ spec }: VirtualService, report: Report): void {
  const seen = new Map<string, string>();
  let catchAll: number | undefined;
  for (const [i, { match, delegate }] of (spec.http ?? []).entries()) {
    if (catchAll !== undefined) {
      report('unreachable-route', ['spec', 'http', i], { route: String(i), first: String(catchAll) });
      continue;
    }
    for (const [j, entry] of (match ?? []).entries()) {
      const key = keyOf(entry);
      const first = seen.get(key);
      const place = `${i}.${j}`;
      if (first !== undefined) report('duplicate-match', ['spec', 'http', i, 'match', j], { match: place, first });
      else seen.set(key, place);
    }
    // A delegate's routes have conditions of their own.
    if (delegate !== undefined) continue;
    if (match === undefined || match.length === 0 || match.some(isCatchAll)) catchAll = i;
  }
}

/** Matches every request of every client. */
function isCatchAll(match: HttpMatch): boolean {
  const { name: _name, statPrefix: _statPrefix, uri, ...rest } = match;
  const isEveryPath =
    uri === undefined || uri.prefix === '/' || uri.prefix === '' || uri.regex === '*' || uri.regex === '.*';
  return isEveryPath && Object.keys(rest).length === 0;
}

/** The same text for matches that mean the same: names and the order of fields play no part. */
function keyOf({ name: _name, statPrefix: _statPrefix, ...match }: HttpMatch): string {
  return JSON.stringify(match, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
