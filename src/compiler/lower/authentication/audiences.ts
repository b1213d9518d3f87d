import type { JwtProviderIR } from '../../ir/jwt-authn.ts';

/** Rules whose tokens must be for the same audiences. */
export interface AudienceGroup {
  /** Where Envoy's metadata has the header of a token that one of these rules verified. */
  readonly headerKey: string;
  /** One of them must be among the token's, as it is. Empty takes any. */
  readonly audiences: readonly string[];
}

type Provider = Pick<JwtProviderIR, 'issuer' | 'audiences' | 'keySet' | 'headers' | 'params' | 'cookies'>;

/**
 * Gives each provider, in order, the group of audiences of which a token that it verified must name one. Providers with
 * the same audiences share one group.
 *
 * The group of a provider holds the audiences of all providers that accept the same tokens. To Envoy two audiences are
 * the same that differ only in scheme or in a slash at the end, and it verifies a token with the first provider that
 * accepts it: that may be another one than the provider that names the token's audience as it is.
 */
export function groupedByAudiences<P extends Provider>(
  providers: readonly P[],
): readonly { readonly provider: P; readonly group: AudienceGroup }[] {
  const groups = new Map<string, AudienceGroup>();
  const sources = providers.map(sourceOf);
  return providers.map((provider, i) => {
    const audiences = commonAudiences(providers.filter((_, j) => takesTokensOf(sources[j], sources[i])));
    const text = JSON.stringify(audiences);
    const headerKey = audiences.length === 0 ? 'header' : `header-${groups.size}`;
    const group = groups.get(text) ?? { headerKey, audiences };
    groups.set(text, group);
    return { provider, group };
  });
}

/** Any of them all, where none of the providers takes any. */
function commonAudiences(providers: readonly Provider[]): readonly string[] {
  if (providers.some(({ audiences }) => audiences.length === 0)) return [];
  return [...new Set(providers.flatMap(({ audiences }) => audiences))].sort();
}

interface TokenSource {
  readonly issuer: string | undefined;
  readonly keysAndPlaces: string;
}

function sourceOf({ issuer, keySet, headers, params, cookies }: Provider): TokenSource {
  return { issuer, keysAndPlaces: JSON.stringify([keySet, headers, params, cookies]) };
}

/** Whatever the other verifies, this one does too, but for the audience. */
function takesTokensOf(one: TokenSource | undefined, other: TokenSource | undefined): boolean {
  const takesIssuer = one?.issuer === undefined || one.issuer === other?.issuer;
  return takesIssuer && one?.keysAndPlaces === other?.keysAndPlaces;
}
