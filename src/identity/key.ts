import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** ECC_SIGNATURE_ALGORITHM: RSA has 2048 bits, ECDSA is on P-256. */
export type KeyAlgorithm = 'RSA' | 'ECDSA';

const generate = promisify(generateKeyPair);

/** A new private key, made off the main thread: an RSA key takes up to half a second, and secrets are served meanwhile. */
export async function generateKey(algorithm: KeyAlgorithm): Promise<KeyObject> {
  const { privateKey } =
    algorithm === 'ECDSA'
      ? await generate('ec', { namedCurve: 'prime256v1' })
      : await generate('rsa', { modulusLength: 2048 });
  return privateKey;
}

/** PEM: PKCS #8 (RFC 5958) when asked for, else the form of the key's own kind: PKCS #1 (RFC 8017) or SEC 1 (RFC 5915). */
export function formatKey(key: KeyObject, isPkcs8: boolean): string {
  const ownType = key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs1';
  return key.export({ type: isPkcs8 ? 'pkcs8' : ownType, format: 'pem' }).toString();
}
