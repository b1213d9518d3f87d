import 'reflect-metadata';
import { type KeyObject, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** What a certificate says (RFC 5280, 4.1.2); names and keys are DER. */
export interface CertificateContents {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** Whole seconds: a certificate holds no parts of one, and what is left of them is cut off. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly extensions: readonly x509.Extension[];
}

export interface SignedCertificate {
  /** DER. */
  readonly raw: Buffer;
  readonly pem: string;
  /** Hex. */
  readonly serialNumber: string;
}

/** The empty name. */
export const emptyName = nameOf([]);

/** The name `O=<organization>`, UTF8String whatever its letters. */
export function organizationName(organization: string): Buffer {
  return nameOf([{ O: [{ utf8String: organization }] }]);
}

function nameOf(attributes: x509.JsonNameParams): Buffer {
  return Buffer.from(new x509.Name(attributes).toArrayBuffer());
}

/** Signs a certificate of version 3 under a random serial number, in a thread of its own. */
export async function signCertificate(contents: CertificateContents, key: KeyObject): Promise<SignedCertificate> {
  const serialNumber = randomSerial();
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber,
      issuer: new x509.Name(contents.issuer),
      subject: new x509.Name(contents.subject),
      notBefore: new Date(contents.notBeforeMs),
      notAfter: new Date(contents.notAfterMs),
      publicKey: contents.publicKey,
      extensions: [...contents.extensions],
      signingKey: await signingKeyOf(key),
      signingAlgorithm: algorithmOf(key),
    },
    webcrypto,
  );
  return { raw: Buffer.from(certificate.rawData), pem: `${certificate.toString('pem')}\n`, serialNumber };
}

const signingKeys = new WeakMap<KeyObject, Promise<webcrypto.CryptoKey>>();

/** The key as WebCrypto wants it, made once a key. */
function signingKeyOf(key: KeyObject): Promise<webcrypto.CryptoKey> {
  const known = signingKeys.get(key);
  if (known !== undefined) return known;
  const bytes = key.export({ format: 'der', type: 'pkcs8' });
  const made = webcrypto.subtle.importKey('pkcs8', bytes, algorithmOf(key), false, ['sign']);
  signingKeys.set(key, made);
  return made;
}

function algorithmOf(key: KeyObject) {
  if (key.asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  return key.asymmetricKeyDetails?.namedCurve === 'secp384r1'
    ? { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }
    : { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
}

/** Hex; positive, 127 bits, never a leading zero octet (RFC 5280, 4.1.2.2). */
function randomSerial(): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial.toString('hex');
}
