import { compareStrings } from '../../lib/sort.ts';
import type { RequestRoute } from '../../policy/gateway-api.ts';
import type { MatchPart } from './http-match.ts';

/** One match of a route, with its place there. */
export interface RankedMatch {
  readonly route: RequestRoute;
  readonly rule: number;
  readonly match: number;
  readonly rank: readonly number[];
  readonly parts: readonly MatchPart[];
}

/** The order in which matches of one kind of route are tried: that of the standard. */
export function byPrecedence(a: RankedMatch, b: RankedMatch): number {
  for (const [i, rank] of a.rank.entries()) if (rank !== b.rank[i]) return (b.rank[i] ?? 0) - rank;
  return byAgeOfRoute(a.route, b.route) || a.rule - b.rule || a.match - b.match;
}

/** The oldest route first, then the first by namespace and name. */
export function byAgeOfRoute(a: RouteAge, b: RouteAge): number {
  return a.createdAt - b.createdAt || compareStrings(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`);
}

type RouteAge = Pick<RequestRoute, 'createdAt' | 'namespace' | 'name'>;
