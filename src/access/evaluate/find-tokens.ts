import type { TokenProvider } from '../lift/jwt.ts';
import { HeaderLines } from '../model/header-lines.ts';
import { queryValues } from '../model/query.ts';
import type { HttpRequest } from '../request.ts';
import type { RequestView } from './request-view.ts';

/** A token's text, and where it stands. */
export interface FoundToken {
  readonly text: string;
  readonly place: {
    readonly kind: 'header' | 'param' | 'cookie';
    readonly name: string;
    /** Of a header: what stands before the token. */
    readonly prefix: string;
  };
}

/** Where a provider looks for tokens. */
export type TokenPlaces = Pick<TokenProvider, 'headers' | 'params' | 'cookies'>;

/** What a provider takes for tokens in a request as its connection manager hands it on (Envoy's jwt_authn/extractor.cc). */
export function findTokens(
  { headers, params, cookies }: TokenPlaces,
  request: Pick<HttpRequest, 'path' | 'headers'>,
): readonly FoundToken[] {
  const lines = new HeaderLines(request.headers);
  const found: FoundToken[] = [];
  for (const { name, prefix } of sorted(headers, (header) => header.name + header.prefix)) {
    for (const value of lines.get(name)) {
      const at = value.indexOf(prefix);
      if (at === -1) continue;
      const text = prefix === '' ? value : tokenText(value, at + prefix.length);
      found.push({ text, place: { kind: 'header', name, prefix } });
    }
  }
  for (const name of sorted(params)) {
    const [text] = queryValues(request.path, name, { unescapes: true });
    if (text !== undefined) found.push({ text, place: { kind: 'param', name, prefix: '' } });
  }
  for (const name of sorted(cookies)) {
    const text = cookieValue(lines.get('cookie'), name);
    if (text !== undefined) found.push({ text, place: { kind: 'cookie', name, prefix: '' } });
  }
  return found;
}

/** The header, of those where a provider looks for tokens, whose value only a proxy knows; undefined where there is none. */
export function unknownPlace(
  { headers, cookies }: TokenPlaces,
  { opaque }: Pick<RequestView, 'opaque'>,
): string | undefined {
  if (opaque.length === 0) return undefined;
  const names = headers.map(({ name }) => name);
  return [...names, ...(cookies.length > 0 ? ['cookie'] : [])].find((name) => opaque.includes(name));
}

/** The text from the first character after the prefix that can be part of a token. */
function tokenText(value: string, from: number): string {
  const rest = value.slice(from);
  const start = rest.search(/[A-Za-z0-9\-_.]/);
  return start === -1 ? value : rest.slice(start);
}

/** Envoy keeps places in maps, by their names. */
function sorted<T>(places: readonly T[], keyOf: (place: T) => string = String): readonly T[] {
  return [...places].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Blanks before a name do not count, and all others do; a pair of quotes around the value is no part of it. */
function cookieValue(lines: readonly string[], name: string): string | undefined {
  for (const pair of lines.flatMap((line) => line.split(';'))) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).replace(/^ +/, '') === name) return unquoted(pair.slice(at + 1));
  }
  return undefined;
}

function unquoted(value: string): string {
  return /^".*"$/s.test(value) ? value.slice(1, -1) : value;
}
