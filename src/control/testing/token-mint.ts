import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';

/** What a test wants to be different from a plain, good token; `undefined` leaves a claim out. */
export interface TokenForm {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly kid?: string;
  /** Beside `alg` and `kid`. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** An issuer of service account tokens as a cluster has one. */
export interface TokenMint {
  readonly issuer: string;
  readonly publicKey: KeyObject;
  /** JSON Web Key Set text. */
  readonly keySet: string;
  mint(serviceAccount: string, form?: TokenForm): Promise<string>;
}

/** Tokens of `system:serviceaccount:<ns>:<name>` for `mesh-ca`, good for ten minutes. */
export function createTokenMint(issuer = 'https://issuer.example.com', keyId = 'first'): TokenMint {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    issuer,
    publicKey,
    keySet: JSON.stringify({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: 'ES256' }],
    }),
    mint: (serviceAccount, { claims = {}, kid = keyId, header = {} } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: issuer,
        aud: ['mesh-ca'],
        sub: `system:serviceaccount:${serviceAccount.replace('/', ':')}`,
        iat: now,
        nbf: now,
        exp: now + 600,
        ...claims,
      };
      const token = new SignJWT(payload as JWTPayload).setProtectedHeader({ ...header, alg: 'ES256', kid });
      // Extensions that a test marks as critical are known to this signer.
      return token.sign(privateKey, { crit: Object.fromEntries(Object.keys(header).map((name) => [name, true])) });
    },
  };
}
