import type { JwtAuthnIR, JwtProviderIR } from '../ir/jwt-authn.ts';
import { type Originated, placed } from './placed.ts';

/** What `jwt-provider` places; lists are Envoy's own messages. */
export interface JwtProviderView {
  readonly name: string;
  readonly issuer?: string;
  readonly audiences: readonly string[];
  readonly keySet: string;
  readonly forward: boolean;
  readonly fromHeaders: readonly { readonly name: string; readonly value_prefix?: string }[];
  readonly fromParams: readonly string[];
  readonly fromCookies: readonly string[];
  readonly payloadHeader?: string;
  readonly claimToHeaders: readonly { readonly header_name: string; readonly claim_name: string }[];
  readonly payloadInMetadata: Originated<string>;
  readonly spaceDelimitedClaims: readonly string[];
  readonly headerInMetadata: string;
}

/** What `jwt-authn` places. */
export interface JwtAuthnView {
  readonly providers: readonly JwtProviderView[];
  readonly stripFailureResponse: boolean;
  readonly bypassCorsPreflight: Originated<true>;
}

/** Key under which access rules find the claims: one for all issuers, since only one token counts. */
const payloadKey = 'payload';

/** The filter that verifies tokens, which comes before all that reads their claims. */
export function jwtAuthnView({ providers, stripFailureResponse, origins }: JwtAuthnIR): JwtAuthnView {
  return {
    providers: providers.map(providerView),
    stripFailureResponse,
    // Browsers send no token with a preflight, and cannot be made to.
    bypassCorsPreflight: placed<true>(true, origins),
  };
}

function providerView(provider: JwtProviderIR): JwtProviderView {
  const { name, issuer, audiences, keySet, forward, params, cookies, payloadHeader } = provider;
  return {
    name,
    ...(issuer === undefined ? {} : { issuer }),
    audiences,
    keySet,
    forward,
    fromHeaders: provider.headers.map(({ name, prefix }) =>
      prefix === '' ? { name } : { name, value_prefix: prefix },
    ),
    fromParams: params,
    fromCookies: cookies,
    ...(payloadHeader === undefined ? {} : { payloadHeader }),
    claimToHeaders: provider.claimHeaders.map(({ header, claim }) => ({ header_name: header, claim_name: claim })),
    payloadInMetadata: placed(payloadKey, provider.origins),
    spaceDelimitedClaims: provider.spaceDelimitedClaims,
    headerInMetadata: provider.headerKey,
  };
}
