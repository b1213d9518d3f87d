import type { TokenFilter, TokenProvider } from '../lift/jwt.ts';
import type { Outcome } from '../outcome.ts';
import type { RequestView } from './request-view.ts';

/** The assumed token of a request. */
export interface TokenJudge {
  /** Claims of a token that counts as verified; absent: the request carries none that is known. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** Seconds since 1970. */
  readonly now: number;
}

const filterName = 'envoy.filters.http.jwt_authn';

/**
 * Answer of the token filter; undefined if it lets the request pass, with the claims in the view's metadata. A token in the
 * request itself is unknown: only claims are understood, which count as verified.
 */
export function judgeTokens(filter: TokenFilter, view: RequestView, judge: TokenJudge): Outcome | undefined {
  if (judge.claims === undefined) return carriesToken(filter, view) ? { kind: 'unmodelled', at: 'token' } : undefined;
  const { claims, now } = judge;
  const own = filter.providers.filter(({ issuer }) => issuer === '' || issuer === claims.iss);
  if (own.length === 0) return refused(401, 'Jwt_issuer_is_not_configured');
  const refusals = own.map((provider) => refusalOf(provider, claims, now));
  const taken = own.find((_, i) => refusals[i] === undefined);
  if (taken === undefined) return refusals[0];
  view.metadata.set(filterName, {
    ...(taken.payloadKey !== '' && { [taken.payloadKey]: normalized(claims, taken) }),
    ...(taken.headerKey !== '' && { [taken.headerKey]: {} }),
  });
  return undefined;
}

/** The filter looks for the prefix anywhere in the value. */
function carriesToken({ providers }: TokenFilter, view: RequestView): boolean {
  const query = view.path.split('?')[1] ?? '';
  return providers.some(
    ({ headers, params, cookies }) =>
      headers.some(({ name, prefix }) => view.lines(name).some((line) => line.includes(prefix))) ||
      params.some((name) => new URLSearchParams(query).has(name)) ||
      (cookies.length > 0 && view.lines('cookie').length > 0),
  );
}

function refusalOf(provider: TokenProvider, claims: TokenJudge['claims'], now: number): Outcome | undefined {
  const { exp, nbf, aud } = claims ?? {};
  const { clockSkewSeconds: skew, audiences } = provider;
  if (typeof nbf === 'number' && nbf - skew > now) return refused(401, 'Jwt_not_yet_valid');
  if (typeof exp === 'number' && exp + skew < now) return refused(401, 'Jwt_is_expired');
  const named = Array.isArray(aud) ? aud : [aud];
  const isMeant = audiences.length === 0 || named.some((one) => audiences.includes(one));
  return isMeant ? undefined : refused(403, 'Audiences_in_Jwt_are_not_allowed');
}

function refused(status: number, reason: string): Outcome {
  return { kind: 'answered', status, details: `jwt_authn_access_denied{${reason}}` };
}

/** Claims whose text is a list of words are lists to the access rules. */
function normalized(claims: NonNullable<TokenJudge['claims']>, { spaceDelimited }: TokenProvider): object {
  const lists = spaceDelimited.flatMap((name) => {
    const text = claims[name];
    return typeof text === 'string' ? [[name, text.split(' ')] as const] : [];
  });
  return { ...claims, ...Object.fromEntries(lists) };
}
