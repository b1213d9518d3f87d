import type { Binding, BoundPolicy } from './policy-target.ts';

/** A header that may hold a token. */
export interface TokenHeader {
  readonly name: string;
  /** Text before the token, such as `Bearer `. */
  readonly prefix?: string;
}

/** Tokens of one issuer. */
export interface JwtRule {
  readonly issuer?: string;
  /** One of them must be in `aud`; absent: any audience. */
  readonly audiences?: readonly string[];
  readonly jwksUri?: string;
  /** The key set itself (RFC 7517); wins over `jwksUri`. */
  readonly jwks?: string;
  /** Any location switches off the default ones (`Authorization: Bearer`, `access_token`). */
  readonly fromHeaders?: readonly TokenHeader[];
  readonly fromParams?: readonly string[];
  readonly fromCookies?: readonly string[];
  readonly outputPayloadToHeader?: string;
  readonly outputClaimToHeaders?: readonly { readonly header: string; readonly claim: string }[];
  readonly forwardOriginalToken?: boolean;
  readonly timeout?: string;
  readonly spaceDelimitedClaims?: readonly string[];
}

/** Tokens that workloads accept (specification, RequestAuthentication). */
export interface RequestAuthentication extends BoundPolicy<'RequestAuthentication'> {
  readonly spec: Binding & {
    readonly jwtRules?: readonly JwtRule[];
  };
}
