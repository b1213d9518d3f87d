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
  const judged = filter.providers.map((provider) => ({ provider, ...placesOf(provider, view, blanks) }));
  const isRefused = blanks.isCoarse ? refusesAny(judged, view, blanks) : refusesEach(judged, view, blanks);
  if (!isRefused) return undefined;
  const isForOthers = blanks.ask(parts.token, `is for another audience ${JSON.stringify(filter.providers)}`);
  return answered(isForOthers ? 403 : 401, unknownRefusal);
}

/** A provider, and its places: those that are known to hold a token, and those that are not known. */
interface JudgedProvider {
  readonly provider: TokenProvider;
  readonly told: readonly string[];
  readonly open: readonly string[];
}

/** Assumes of each place whether it holds a token. */
function refusesEach(judged: readonly JudgedProvider[], view: RequestView, blanks: Blanks): boolean {
  let isRefused = false;
  for (const { provider, told, open } of judged) {
    const places = [...told, ...open.filter((place) => blanks.ask(parts.token, `is in ${place}`))];
    if (places.length === 0) continue;
    const key = JSON.stringify([provider, places]);
    if (blanks.ask(parts.token, `is valid ${key}`)) {
      accept(provider, view, key);
      return false;
    }
    isRefused = true;
  }
  return isRefused;
}

/** Assumes of each provider whether it takes what it finds, and where none does, whether there is anything. */
function refusesAny(judged: readonly JudgedProvider[], view: RequestView, blanks: Blanks): boolean {
  for (const { provider, told, open } of judged) {
    if (told.length + open.length === 0) continue;
    const key = JSON.stringify([provider, told, open]);
    if (blanks.ask(parts.token, `is taken ${key}`)) {
      accept(provider, view, key);
      return false;
    }
  }
  if (judged.some(({ told }) => told.length > 0)) return true;
  const open = [...new Set(judged.flatMap((one) => one.open))];
  return open.length > 0 && blanks.ask(parts.token, `is in one of ${JSON.stringify(open.sort())}`);
}

function placesOf(provider: TokenProvider, view: RequestView, blanks: Blanks): Omit<JudgedProvider, 'provider'> {
  const { headers, params, cookies } = provider;
  const isKnown = ({ name }: (typeof headers)[number]): boolean =>
    view.headers.isTold(name) && !view.opaque.includes(name);
  const places = { headers: headers.filter(isKnown), params, cookies: [] };
  const told = findTokens(places, view.request);
  const inHeaders = headers.filter((header) => !isKnown(header)).map(({ name, prefix }) => `header ${name} ${prefix}`);
  const inCookies = cookies.map((name) => `cookie ${name}`);
  const inPath = new Set(told.map(({ place: { kind, name } }) => (kind === 'param' ? name : '')));
  const inQuery = params
    .filter((name) => blanks.takenParameters.has(name) && !inPath.has(name))
    .map((name) => `parameter ${name}`);
  return {
    told: told.map(({ place: { kind, name, prefix } }) => `${kind} ${name} ${prefix}`),
    open: [...inHeaders, ...inCookies, ...inQuery],
  };
}

/** What a token that is taken changes in the request for later filters. */
function accept(provider: TokenProvider, view: RequestView, key: string): void {
  const { payloadHeader, claimHeaders, headers, params, forwards } = provider;
  view.unreadToken = key;
  const written = [...(payloadHeader === undefined ? [] : [payloadHeader]), ...claimHeaders].map(({ name }) => name);
  const taken = forwards ? [] : [...headers.map(({ name }) => name), 'cookie'];
  for (const name of [...written, ...taken]) view.headers.forget(name);
  // Its parameter is taken out, and the whole query is written anew.
  if (!forwards && params.length > 0) view.setOpaque(':path');
}
