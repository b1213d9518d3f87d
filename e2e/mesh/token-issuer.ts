import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Claims of a token; times in Unix seconds. */
export interface TokenClaims {
  readonly iss?: string;
  readonly aud?: string;
  readonly exp?: number;
  readonly nbf?: number;
}

/** Whoever signs tokens. */
export interface TokenIssuer {
  readonly name: string;
  /** Its JSON Web Key Set. */
  readonly jwks: string;
  /** A token of subject `alice` for audience `httpbin`, good for an hour, but for what the claims say. */
  mint(claims?: TokenClaims): Promise<string>;
}

/** An issuer with a fresh key pair. */
export async function createTokenIssuer(name: string): Promise<TokenIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const kid = 'of-this-run';
  return {
    name,
    jwks: JSON.stringify({ keys: [{ kid, ...(await exportJWK(publicKey)) }] }),
    mint: (claims = {}) =>
      new SignJWT({ iss: name, sub: 'alice', aud: 'httpbin', exp: unixTime() + 3600, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid })
        .sign(privateKey),
  };
}

/** Now, in whole Unix seconds. */
export function unixTime(): number {
  return Math.floor(Date.now() / 1000);
}
