import type { TokenFilter, TokenProvider } from '../lift/jwt.ts';
import { splitQuery } from '../model/normalize-path.ts';
import { unescaped } from '../model/query.ts';
import { encodeSection, faultOfClaims, parseToken, type Token } from '../model/token.ts';
import type { Outcome } from '../outcome.ts';
import { assumeTokens } from './assume-tokens.ts';
import { tokenFilter } from './blanks.ts';
import { isPreflight } from './cors.ts';
import { type FoundToken, findTokens, unknownPlace } from './find-tokens.ts';
import type { RequestView } from './request-view.ts';
import type { Observer, Surroundings, TokenState } from './surroundings.ts';
import type { TokenJudge } from './token-judge.ts';

/** Answer of the token filter; undefined if it lets the request pass, with the claims in the view's metadata. */
export function judgeTokens(
  filter: TokenFilter,
  view: RequestView,
  { tokens, choose, observer }: Pick<Surroundings, 'tokens' | 'choose' | 'observer'>,
): Outcome | undefined {
  for (const provider of filter.providers) removeForged(provider, view);
  if (filter.passesPreflights && isPreflight(view)) {
    view.skipsTokens = true;
    return undefined;
  }
  if (view.blanks !== undefined) return assumeTokens(filter, view, view.blanks);
  return new Verification(filter, view, tokens, choose).outcome(observer);
}

/** What the filter itself writes into a header comes from nobody else. */
function removeForged({ payloadHeader, claimHeaders, issuer }: TokenProvider, view: RequestView): void {
  const { headers } = view;
  if (payloadHeader !== undefined) headers.delete(payloadHeader.name);
  for (const { name, claim } of claimHeaders) {
    headers.delete(name);
    view.tellClaim(name, `claim ${claim} of ${issuer}`);
  }
}

/** Why a token is refused: Envoy's words; `unmodelled` where its signature is not known. */
type Refusal = string | 'unmodelled';

class Verification {
  readonly #filter: TokenFilter;
  readonly #view: RequestView;
  readonly #judge: TokenJudge;
  readonly #choose: Surroundings['choose'];
  /** By claim, whether its time has come. */
  readonly #times = new Map<string, boolean>();

  constructor(filter: TokenFilter, view: RequestView, judge: TokenJudge, choose: Surroundings['choose']) {
    this.#filter = filter;
    this.#view = view;
    this.#judge = judge;
    this.#choose = choose;
  }

  /** The first provider that is content with every token in its places decides; none of them needs one. */
  outcome(observer: Observer | undefined): Outcome | undefined {
    const refusals: { readonly provider: TokenProvider; readonly reason: string }[] = [];
    const tell = (providers: readonly TokenProvider[], state: TokenState): void =>
      observer?.tokens(
        providers.map(({ name }) => this.#filter.at.at('providers', name)),
        state,
      );
    for (const provider of this.#filter.providers) {
      const unknown = this.#judge.claims === undefined ? unknownPlace(provider, this.#view) : undefined;
      if (unknown !== undefined) return { kind: 'unmodelled', at: `the header ${unknown}, which may have a token` };
      const found = this.#tokensOf(provider);
      if (found.length === 0) continue;
      const refusal = this.#refusalOfAll(found, provider);
      if (refusal === undefined) tell([provider], 'valid');
      if (refusal === undefined) return undefined;
      if (refusal === 'unmodelled') return { kind: 'unmodelled', at: 'token' };
      refusals.push({ provider, reason: refusal });
    }
    if (refusals.length === 0) {
      tell(this.#filter.providers, 'absent');
      return undefined;
    }
    const known = refusals.filter(({ reason }) => reason !== unknownIssuer);
    const told = known.length === 0 ? refusals : known;
    tell(
      told.map(({ provider }) => provider),
      'invalid',
    );
    return refused(told.at(-1)?.reason ?? unknownIssuer);
  }

  /** In the order in which Envoy verifies them: the last one that it has found comes first. */
  #tokensOf(provider: TokenProvider): readonly (FoundToken | AssumedToken)[] {
    const { claims } = this.#judge;
    if (claims !== undefined) return [{ header: {}, claims }];
    return findTokens(provider, this.#view.request).toReversed();
  }

  /** Of the first token that is refused. What good ones before it have changed stays. */
  #refusalOfAll(found: readonly (FoundToken | AssumedToken)[], provider: TokenProvider): Refusal | undefined {
    for (const one of found) {
      const token = 'claims' in one ? assumedToken(one) : parseToken(one.text);
      if (typeof token === 'string') return token;
      const refusal = this.#refusalOf(token, provider);
      if (refusal !== undefined) return refusal;
      this.#accept(token, provider);
      if (!provider.forwards && 'place' in one) this.#remove(one);
    }
    return undefined;
  }

  #refusalOf({ claims, text }: AcceptedToken, provider: TokenProvider): Refusal | undefined {
    const { issuer, audiences, keySet, clockSkewSeconds: skew } = provider;
    const { iss = '', exp, nbf, aud = [] } = claims;
    if (issuer !== '' && issuer !== iss) return unknownIssuer;
    if (typeof nbf === 'number' && this.#isPast(nbf - skew, 'nbf') === false) return 'Jwt not yet valid';
    if (typeof exp === 'number' && exp > 0 && this.#isPast(exp + skew, 'exp')) return 'Jwt is expired';
    const named = Array.isArray(aud) ? aud : [aud];
    const isMeant =
      audiences.length === 0 || named.some((one) => audiences.map(trimmed).includes(trimmed(String(one))));
    if (!isMeant) return wrongAudience;
    if (text === undefined) return undefined;
    const verdict = this.#judge.signatures?.of(keySet, text);
    if (verdict === undefined) return 'unmodelled';
    return verdict === 'good' ? undefined : verdict;
  }

  /** Envoy's clock and ours differ, and it counts whole seconds. */
  #isPast(second: number, claim: string): boolean {
    const { now } = this.#judge;
    if (Math.abs(now - second) > 2) return now > second;
    const known = this.#times.get(claim) ?? this.#choose('time', claim, ['before', 'after']) === 'after';
    this.#times.set(claim, known);
    return known;
  }

  #accept({ header, claims, text }: AcceptedToken, provider: TokenProvider): void {
    const { payloadKey, headerKey, payloadHeader, claimHeaders } = provider;
    const { headers } = this.#view;
    this.#view.leave(tokenFilter, {
      ...(payloadKey !== '' && { [payloadKey]: normalized(claims, provider) }),
      ...(headerKey !== '' && { [headerKey]: header }),
    });
    if (payloadHeader !== undefined) {
      const payload = text?.split('.')[1] ?? encodeSection(JSON.stringify(claims), false);
      headers.add(payloadHeader.name, payloadHeader.isPadded ? padded(payload) : payload);
    }
    for (const { name, claim } of claimHeaders) {
      const value = claimText(claims, claim);
      if (value !== undefined) headers.add(name, value);
    }
  }

  /** Cookies stay. */
  #remove({ place: { kind, name } }: FoundToken): void {
    if (kind === 'header') this.#view.headers.delete(name);
    if (kind === 'param') this.#view.path = withoutParameter(this.#view.path, name);
  }
}

/** Claims that no token can have are refused as those of a token are. */
function assumedToken(one: AssumedToken): AcceptedToken | string {
  return faultOfClaims(one.claims) ?? { ...one, text: undefined };
}

/** Of `--claims`: there is no text of it. */
interface AssumedToken {
  readonly header: Token['header'];
  readonly claims: Token['claims'];
}

interface AcceptedToken extends AssumedToken {
  readonly text: string | undefined;
}

const unknownIssuer = 'Jwt issuer is not configured';
const wrongAudience = 'Audiences in Jwt are not allowed';

function refused(reason: string): Outcome {
  const details = `jwt_authn_access_denied{${reason.replaceAll(' ', '_')}}`;
  return { kind: 'answered', status: reason === wrongAudience ? 403 : 401, details };
}

/** Envoy compares audiences without scheme and last slash (jwt_verify_lib's check_audience.cc). */
function trimmed(audience: string): string {
  return audience.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/** Claims whose text is a list of words are lists to the access rules. */
function normalized(claims: Token['claims'], { spaceDelimited }: TokenProvider): object {
  const lists = spaceDelimited.flatMap((name) => {
    const text = claims[name];
    return typeof text === 'string' ? [[name, text.split(' ')] as const] : [];
  });
  return { ...claims, ...Object.fromEntries(lists) };
}

function padded(section: string): string {
  return section.padEnd(Math.ceil(section.length / 4) * 4, '=');
}

/** Dots lead into objects. Lists and objects are written in base64url. */
function claimText(claims: Token['claims'], path: string): string | undefined {
  let value: unknown = claims;
  for (const key of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' && value !== null ? encodeSection(JSON.stringify(value), true) : undefined;
}

/** Envoy writes the whole query anew: sorted by name, unescaped, each with an equals sign. */
function withoutParameter(path: string, name: string): string {
  const [bare, query] = splitQuery(path);
  const kept = query
    .slice(1)
    .split('&')
    .map((pair) => unescaped(pair.includes('=') ? pair : `${pair}=`))
    .filter((pair) => nameOf(pair) !== name)
    .sort((a, b) => (nameOf(a) === nameOf(b) ? 0 : nameOf(a) < nameOf(b) ? -1 : 1));
  return kept.length === 0 ? bare : `${bare}?${kept.join('&')}`;
}

function nameOf(pair: string): string {
  return pair.slice(0, pair.indexOf('='));
}
