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
 * Each provider with its group, in their order; groups for the same audiences are one object. Envoy verifies a token by the first provider
 * that takes it, also where a later one names its audience and the first another that is the same but for scheme or slash:
 * what any provider for the very same tokens asks for will do.
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
