import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** A fresh public key with a `kid`, as an issuer publishes it. */
export async function publicJwk(kid: string, alg = 'ES256'): Promise<JWK> {
  const { publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, ...(await exportJWK(publicKey)) };
}

/** The JSON text of a key set. */
export function keySetText(...keys: readonly unknown[]): string {
  return JSON.stringify({ keys });
}

/** The `kid`s of a key set's text, in its order. */
export function kidsOf(text: string): readonly (string | undefined)[] {
  return (JSON.parse(text) as { readonly keys: readonly JWK[] }).keys.map(({ kid }) => kid);
}
