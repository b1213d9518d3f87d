import { compareStrings } from '../../lib/sort.ts';
import type { HttpRouteMatch } from '../../policy/gateway-api.ts';
import type { MeshObject } from '../../policy/object.ts';

/** One match of a route, with its place there. */
export interface RankedMatch {
  readonly route: MeshObject<string>;
  readonly rule: number;
  readonly match: number;
  readonly condition: HttpRouteMatch;
}

/**
 * The order in which matches are tried: that of the standard, and where it says nothing, expressions for the path after
 * other paths, the longer one first, and before the path of every request.
 */
export function byPrecedence(a: RankedMatch, b: RankedMatch): number {
  const [x, y] = [rankOf(a.condition), rankOf(b.condition)];
  for (const [i, rank] of x.entries()) if (rank !== y[i]) return (y[i] ?? 0) - rank;
  return (
    a.route.createdAt - b.route.createdAt ||
    compareStrings(`${a.route.namespace}/${a.route.name}`, `${b.route.namespace}/${b.route.name}`) ||
    a.rule - b.rule ||
    a.match - b.match
  );
}

/** The larger comes first, number by number. */
function rankOf({ path = {}, method, headers = [], queryParams = [] }: HttpRouteMatch): readonly number[] {
  const { type = 'PathPrefix', value = '/' } = path;
  const kind = type === 'Exact' ? 3 : type === 'RegularExpression' ? 1 : pathElements(value) === '' ? 0 : 2;
  const length = kind === 2 ? pathElements(value).length : value.length;
  return [kind, length, method === undefined ? 0 : 1, headers.length, queryParams.length];
}

/** A prefix without the slash at its end, which says nothing: empty for the path of every request. */
export function pathElements(prefix: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
}
