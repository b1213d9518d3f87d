import type { TokenFilter, TokenProvider } from '../lift/jwt.ts';
import type { Outcome } from '../outcome.ts';
import { answered } from './answer.ts';
import { type Blanks, parts } from './blanks.ts';
import { findTokens } from './find-tokens.ts';
import type { RequestView } from './request-view.ts';

/** Details of an answer of the token filter, without the reason, which depends on the token. */
export const unknownRefusal = 'jwt_authn_access_denied{}';

/**
 * Answer of the token filter where the tokens of a request are not known: it may carry one in each place that is not told,
 * and each one may be valid. The claims of a valid one are not known.
 */
export function assumeTokens(filter: TokenFilter, view: RequestView, blanks: Blanks): Outcome | undefined {
  let isRefused = false;
  for (const provider of filter.providers) {
    const places = placesWithToken(provider, view, blanks);
    if (places.length === 0) continue;
    const key = JSON.stringify([provider, places]);
    if (blanks.ask(parts.token, `is valid ${key}`)) {
      accept(provider, view, key);
      return undefined;
    }
    isRefused = true;
  }
  if (!isRefused) return undefined;
  const isForOthers = blanks.ask(parts.token, `is for another audience ${JSON.stringify(filter.providers)}`);
  return answered(isForOthers ? 403 : 401, unknownRefusal);
}

function placesWithToken(provider: TokenProvider, view: RequestView, blanks: Blanks): readonly string[] {
  const { headers, params, cookies } = provider;
  const places = { headers: headers.filter(({ name }) => view.headers.isTold(name)), params, cookies: [] };
  const told = findTokens(places, view.request);
  const inHeaders = headers
    .filter(({ name }) => !view.headers.isTold(name))
    .map(({ name, prefix }) => `header ${name} ${prefix}`);
  const inCookies = cookies.map((name) => `cookie ${name}`);
  const inPath = new Set(told.map(({ place: { kind, name } }) => (kind === 'param' ? name : '')));
  const inQuery = params
    .filter((name) => blanks.takenParameters.has(name) && !inPath.has(name))
    .map((name) => `parameter ${name}`);
  const open = [...inHeaders, ...inCookies, ...inQuery].filter((place) => blanks.ask(parts.token, `is in ${place}`));
  return [...told.map(({ place }) => `${place.kind} ${place.name} ${place.prefix}`), ...open];
}

/** What a token that is taken changes in the request for later filters. */
function accept(provider: TokenProvider, view: RequestView, key: string): void {
  const { payloadHeader, claimHeaders, headers, params, forwards } = provider;
  view.unreadToken = key;
  const written = [...(payloadHeader === undefined ? [] : [payloadHeader]), ...claimHeaders].map(({ name }) => name);
  const taken = forwards ? [] : [...headers.map(({ name }) => name), 'cookie'];
  for (const name of [...written, ...taken]) view.headers.forget(name);
  // Its parameter is taken out, and the whole query is written anew.
  if (!forwards && params.length > 0) view.opaque.add(':path');
}
