import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { splitCertificates } from './roots.ts';

/** A text is not the PEM that is expected (RFC 7468); the message names its file and never quotes it. */
export class PemError extends Error {}

/** Certificates of a PEM text in their order, maybe none; throws {@link PemError} where anything else stands there. */
export function certificatesOf(pem: string, file: string): readonly X509Certificate[] {
  const blocks = splitCertificates(pem);
  // Also a block without its end, and a key.
  if (pem.split('-----BEGIN').length - 1 !== blocks.length)
    throw new PemError(`${file} holds something else than certificates`);
  return blocks.map((block, i) => {
    try {
      return new X509Certificate(block);
    } catch {
      // OpenSSL's reasons are its own; the place is what helps.
      throw new PemError(`certificate ${i + 1} of ${file} cannot be parsed`);
    }
  });
}

/** As {@link certificatesOf}, and none is a fault too. */
export function someCertificatesOf(pem: string, file: string): readonly [X509Certificate, ...X509Certificate[]] {
  const [first, ...rest] = certificatesOf(pem, file);
  if (first === undefined) throw new PemError(`${file} holds no certificate`);
  return [first, ...rest];
}

/** The private key of a PEM text that is not encrypted; throws {@link PemError}. */
export function privateKeyOf(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The cause is dropped on purpose: nothing of a key file may reach a log.
    const isEncrypted = pem.includes('ENCRYPTED');
    throw new PemError(`${file} ${isEncrypted ? 'is encrypted, which is not supported' : 'holds no private key'}`);
  }
}
