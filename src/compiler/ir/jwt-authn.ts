import type { Origins } from './origin.ts';

/** Tokens of one issuer: one rule of one RequestAuthentication. */
export interface JwtProviderIR {
  /** `origins-<n>`: two rules may share an issuer. */
  readonly name: string;
  /** Undefined checks no issuer. */
  readonly issuer: string | undefined;
  /** Empty checks no audience. */
  readonly audiences: readonly string[];
  /** Text of the key set (RFC 7517). */
  readonly keySet: string;
  /** All three lists empty: `Authorization: Bearer`, then the query parameter `access_token`. */
  readonly headers: readonly { readonly name: string; readonly prefix: string }[];
  readonly params: readonly string[];
  readonly cookies: readonly string[];
  /** The token stays in the request. */
  readonly forward: boolean;
  readonly payloadHeader: string | undefined;
  readonly claimHeaders: readonly { readonly header: string; readonly claim: string }[];
  readonly spaceDelimitedClaims: readonly string[];
  /** Where the filter's metadata has the header of a verified token; never `payload`, which has the claims. */
  readonly headerKey: string;
  readonly origins: Origins;
}

/** A request without token passes, one with a token that no provider verifies does not. */
export interface JwtAuthnIR {
  readonly kind: 'jwt-authn';
  readonly providers: readonly JwtProviderIR[];
  /** A token may stand in the query: Envoy's answer must not repeat the URL. */
  readonly stripFailureResponse: boolean;
  /** The access rule behind this filter whose refusals are answered as this filter's own are, with 401. */
  readonly invalidTokenRule: string;
  readonly origins: Origins;
}
