import type { HttpRouteMatch, ValueCondition } from '../../policy/gateway-api.ts';
import type { HttpMatch, StringMatch } from '../../policy/virtual-service.ts';
import { pathElements } from './precedence.ts';

/** One of the matches that take the place of a match of the standard. */
export interface MatchPart {
  readonly match: HttpMatch;
  /** The path is a prefix that ends with a slash, so that the rest begins a path element. */
  readonly isPrefix: boolean;
}

/**
 * What a match of the standard is in a VirtualService, whose prefixes are texts: a prefix of whole path elements is the path
 * itself, or a text that begins with it and a slash.
 */
export function matchParts({
  path = {},
  method,
  headers = [],
  queryParams = [],
}: HttpRouteMatch): readonly MatchPart[] {
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

function conditions(wanted: readonly ValueCondition[]): Readonly<Record<string, StringMatch>> {
  return Object.fromEntries(
    wanted.map(({ type, name, value }) => [name, type === 'RegularExpression' ? { regex: value } : { exact: value }]),
  );
}
