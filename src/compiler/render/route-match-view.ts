import type { PathMatchIR, RouteMatchIR, ValueMatchIR } from '../ir/route-match.ts';
import { headerMatcher, stringMatcher } from './matcher-view.ts';

/** Envoy's `RouteMatch`, as it stands in the output. */
export type RouteMatchView = Readonly<Record<string, unknown>>;

export function routeMatchView(match: RouteMatchIR): RouteMatchView {
  const { path, headers = [], withoutHeaders = [], queryParameters = [] } = match;
  const all = [...headers.map(presence), ...withoutHeaders.map(absence)];
  return {
    ...pathMatch(path),
    ...(path.ignoreCase === true ? { case_sensitive: false } : {}),
    ...(all.length === 0 ? {} : { headers: all }),
    ...(queryParameters.length === 0 ? {} : { query_parameters: queryParameters.map(parameterMatch) }),
  };
}

function pathMatch({ kind, value }: PathMatchIR): object {
  if (kind === 'regex') return { safe_regex: { regex: value } };
  return kind === 'exact' ? { path: value } : { prefix: value };
}

function presence(condition: ValueMatchIR): object {
  return headerMatcher({ kind: 'header', ...condition });
}

/** Without the last field Envoy would find no match, inverted or not, where the header is absent. */
function absence(condition: ValueMatchIR): object {
  const matcher = { ...presence(condition), invert_match: true };
  return condition.match === 'present' ? matcher : { ...matcher, treat_missing_header_as_empty: true };
}

function parameterMatch({ name, match }: ValueMatchIR): object {
  return match === 'present' ? { name, present_match: true } : { name, string_match: stringMatcher(match) };
}
