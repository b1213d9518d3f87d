import type { TokenRule } from './intent.ts';

/** A token that a request carries, and who has signed it. */
export interface SentToken {
  readonly text: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Key set with the key that verifies it; undefined: no key does. */
  readonly signedBy: string | undefined;
  /** Its header has members of which Envoy knows nothing, and which must be understood. */
  readonly isCritical: boolean;
  readonly place: TokenPlace;
}

export type TokenPlace =
  | { readonly kind: 'bearer' }
  | { readonly kind: 'header'; readonly name: string; readonly prefix: string }
  | { readonly kind: 'param'; readonly name: string };

/** What rules make of the token of a request. */
export type TokenVerdict =
  | { readonly kind: 'accepted'; readonly claims: Readonly<Record<string, unknown>> | undefined }
  /** One of these statuses. */
  | { readonly kind: 'refused'; readonly statuses: readonly number[] };

/** Verdict of the rules that hold at a workload, at a time in seconds. */
export function judgeToken(rules: readonly TokenRule[], token: SentToken | undefined, now: number): TokenVerdict {
  const looking = token === undefined ? [] : rules.filter((rule) => looksAt(rule, token.place));
  if (token === undefined || looking.length === 0) return { kind: 'accepted', claims: undefined };
  const faults = looking.map((rule) => faultsOf(rule, token, now));
  const accepting = looking.find((_, i) => faults[i]?.length === 0);
  if (accepting !== undefined) return { kind: 'accepted', claims: claimsFor(accepting, token.claims) };
  const ofIssuer = faults.filter((_, i) => looking[i]?.issuer === token.claims.iss);
  return { kind: 'refused', statuses: ofIssuer.length === 0 ? [401] : [...new Set(ofIssuer.flat())] };
}

/** A rule that names a place looks nowhere else. */
function looksAt({ fromHeaders, fromParams }: TokenRule, place: TokenPlace): boolean {
  const isDefault = fromHeaders === undefined && fromParams === undefined;
  switch (place.kind) {
    case 'bearer':
      return (
        isDefault || fromHeaders?.some(({ name, prefix }) => name === 'authorization' && prefix === 'Bearer ') === true
      );
    case 'header':
      return fromHeaders?.some(({ name, prefix = '' }) => name === place.name && prefix === place.prefix) === true;
    case 'param':
      return isDefault ? place.name === 'access_token' : fromParams?.includes(place.name) === true;
  }
}

/** Statuses with which a token is refused, one for each of its faults; none: it is a token of the rule. */
function faultsOf({ issuer, jwks, audiences }: TokenRule, token: SentToken, now: number): readonly number[] {
  const { iss, aud = [], exp, nbf } = token.claims;
  if (iss !== issuer) return [401];
  const isPast = typeof exp === 'number' && exp < now;
  const isEarly = typeof nbf === 'number' && nbf > now;
  const isBad = isPast || isEarly || token.signedBy !== jwks || token.isCritical;
  const named = Array.isArray(aud) ? aud : [aud];
  const isMeant = audiences === undefined || audiences.some((one) => named.includes(one));
  return [...(isBad ? [401] : []), ...(isMeant ? [] : [403])];
}

/** As access rules see them: scopes are lists of words. */
function claimsFor({ spaceDelimitedClaims = [] }: TokenRule, claims: SentToken['claims']): SentToken['claims'] {
  const isList = (name: string): boolean => ['scope', 'permission', ...spaceDelimitedClaims].includes(name);
  const entries = Object.entries(claims).map(([name, value]) =>
    typeof value === 'string' && isList(name) ? [name, value.split(' ')] : [name, value],
  );
  return Object.fromEntries(entries);
}
