import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { CertificateAuthority, LeafRequest } from './authority.ts';
import { keyIdOf } from './extensions.ts';

/** A new key and its certificate, PEM. */
export interface IssuedPair {
  /** Leaf first, then what lies between it and the root. */
  readonly certificateChain: string;
  /** PKCS #8. */
  readonly privateKey: string;
  /** All roots of the authority. */
  readonly rootCertificates: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const generate = promisify(generateKeyPair);

/** Signs a certificate for a new key on P-256. Throws `AuthorityUnavailable` as `issue` does. */
export async function issuePair(
  authority: CertificateAuthority,
  wanted: Omit<LeafRequest, 'publicKey' | 'keyId'>,
): Promise<IssuedPair> {
  const keys = await generate('ec', { namedCurve: 'P-256' });
  const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' });
  const { chain, notBeforeMs, notAfterMs } = await authority.issue({
    ...wanted,
    publicKey,
    keyId: keyIdOf(publicKey),
  });
  return {
    certificateChain: chain.slice(0, -1).join(''),
    privateKey: String(keys.privateKey.export({ format: 'pem', type: 'pkcs8' })),
    rootCertificates: chain.at(-1) ?? '',
    notBeforeMs,
    notAfterMs,
  };
}
