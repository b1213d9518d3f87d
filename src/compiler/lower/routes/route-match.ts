import type { HttpMatch, StringMatch } from '../../../policy/virtual-service.ts';
import type { PathMatchIR, RouteMatchIR, ValueMatchIR } from '../../ir/route-match.ts';
import type { StringMatchIR } from '../../ir/string-match.ts';
import { withAnyPort } from '../authority.ts';
import { quoteRegex } from '../authorization/pattern.ts';

export const everyRequest: RouteMatchIR = { path: { kind: 'prefix', value: '/' } };

/** True for a match that no request of its virtual host escapes. */
export function isEveryRequest(match: RouteMatchIR): boolean {
  const { path, headers = [], withoutHeaders = [], queryParameters = [] } = match;
  const isEveryPath = path.kind === 'prefix' ? path.value === '/' : path.kind === 'regex' && path.value === '.*';
  return isEveryPath && headers.length + withoutHeaders.length + queryParameters.length === 0;
}

/** What a request must be; whose it is was decided before. */
export function routeMatch(match: HttpMatch): RouteMatchIR {
  const pseudo = (['method', 'scheme'] as const).flatMap((field) => {
    const wanted = match[field];
    return wanted === undefined ? [] : [{ name: `:${field}`, match: valueMatch(wanted) }];
  });
  const authority =
    match.authority === undefined ? [] : [{ name: ':authority', match: authorityMatch(match.authority) }];
  const headers = [...authority, ...pseudo, ...headerMatches(match.headers)];
  const withoutHeaders = headerMatches(match.withoutHeaders);
  const queryParameters = valueMatches(match.queryParams);
  return {
    path: pathMatch(match),
    ...(headers.length === 0 ? {} : { headers }),
    ...(withoutHeaders.length === 0 ? {} : { withoutHeaders }),
    ...(queryParameters.length === 0 ? {} : { queryParameters }),
  };
}

function pathMatch({ uri, ignoreUriCase }: HttpMatch): PathMatchIR {
  if (uri?.regex !== undefined && !isAnything(uri.regex)) return { kind: 'regex', value: uri.regex };
  const ignoreCase = ignoreUriCase === true ? { ignoreCase: true } : {};
  if (uri?.exact !== undefined) return { kind: 'exact', value: uri.exact, ...ignoreCase };
  if (uri?.prefix !== undefined && uri.prefix !== '' && uri.prefix !== '/') {
    return { kind: 'prefix', value: uri.prefix, ...ignoreCase };
  }
  return everyRequest.path;
}

/** Sorted by name. A condition without text, and Istio's `*`, ask for presence. */
function valueMatches(conditions: Readonly<Record<string, StringMatch>> = {}): readonly ValueMatchIR[] {
  return Object.keys(conditions)
    .sort()
    .map((name) => ({ name, match: valueMatch(conditions[name] ?? {}) }));
}

/** Envoy knows the Host line as `:authority`. */
function headerMatches(conditions: Readonly<Record<string, StringMatch>> = {}): readonly ValueMatchIR[] {
  const wanted = lowerCase(conditions);
  return valueMatches(wanted).map((match) => {
    const isHost = match.name === 'host' || match.name === ':authority';
    return isHost ? { name: ':authority', match: authorityMatch(wanted[match.name] ?? {}) } : match;
  });
}

function valueMatch({ exact, prefix, regex }: StringMatch): StringMatchIR | 'present' {
  if (exact !== undefined) return { kind: 'exact', value: exact };
  if (prefix !== undefined) return { kind: 'prefix', value: prefix };
  return regex === undefined || isAnything(regex) ? 'present' : { kind: 'regex', value: regex };
}

/** A host is the same in any case, as in access rules, and with any port; prefixes and expressions see the port. */
function authorityMatch(wanted: StringMatch): StringMatchIR | 'present' {
  if (wanted.prefix !== undefined) return { kind: 'prefix', value: wanted.prefix, ignoreCase: true };
  // Envoy has no alternatives here.
  return wanted.exact === undefined ? valueMatch(wanted) : withAnyPort(quoteRegex(wanted.exact));
}

/** The same in lower case, as Envoy compares names; of two spellings of a name the last in order holds. */
function lowerCase(conditions: Readonly<Record<string, StringMatch>> = {}): Readonly<Record<string, StringMatch>> {
  return Object.fromEntries(Object.entries(conditions).map(([name, wanted]) => [name.toLowerCase(), wanted]));
}

function isAnything(regex: string): boolean {
  return regex === '*' || regex === '.*';
}
