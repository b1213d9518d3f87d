import type { HttpRouteMatch, ValueCondition } from '../../policy/gateway-api.ts';
import type { HttpMatch, StringMatch } from '../../policy/virtual-service.ts';

/** One of the matches that take the place of a match of the standard. */
export interface MatchPart {
  readonly match: HttpMatch;
  /** The path is a prefix that ends with a slash, so that the rest begins a path element. */
  readonly isPrefix: boolean;
}

/**
 * What a match of an HTTPRoute is in a VirtualService, whose prefixes are texts: a prefix of whole path elements is the path
 * itself, or a text that begins with it and a slash.
 */
export function httpParts({ path = {}, method, headers = [], queryParams = [] }: HttpRouteMatch): readonly MatchPart[] {
  const { type = 'PathPrefix', value = '/' } = path;
  const rest: HttpMatch = {
    ...(method === undefined ? {} : { method: { exact: method } }),
    ...(headers.length === 0 ? {} : { headers: conditions(headers) }),
    ...(queryParams.length === 0 ? {} : { queryParams: conditions(queryParams) }),
  };
  if (type !== 'PathPrefix') {
    return [{ match: { uri: type === 'Exact' ? { exact: value } : { regex: value }, ...rest }, isPrefix: false }];
  }
  const elements = pathElements(value);
  if (elements === '') return [{ match: { uri: { prefix: '/' }, ...rest }, isPrefix: true }];
  return [
    { match: { uri: { exact: elements }, ...rest }, isPrefix: false },
    { match: { uri: { prefix: `${elements}/` }, ...rest }, isPrefix: true },
  ];
}

/** What headers or parameters must be. */
export function conditions(wanted: readonly ValueCondition[]): Readonly<Record<string, StringMatch>> {
  return Object.fromEntries(
    wanted.map(({ type, name, value }) => [name, type === 'RegularExpression' ? { regex: value } : { exact: value }]),
  );
}

/**
 * Place in the order of matches: where the standard says nothing, expressions for the path come after other paths, the longer
 * one first, and before the path of every request. The larger comes first, number by number.
 */
export function httpRank({ path = {}, method, headers = [], queryParams = [] }: HttpRouteMatch): readonly number[] {
  const { type = 'PathPrefix', value = '/' } = path;
  const kind = type === 'Exact' ? 3 : type === 'RegularExpression' ? 1 : pathElements(value) === '' ? 0 : 2;
  const length = kind === 2 ? pathElements(value).length : value.length;
  return [kind, length, method === undefined ? 0 : 1, headers.length, queryParams.length];
}

/** A prefix without the slash at its end, which says nothing: empty for the path of every request. */
function pathElements(prefix: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
}
