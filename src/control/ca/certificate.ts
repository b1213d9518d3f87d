import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { bitString, contextTag, der, oid, tag, time } from './der.ts';

/** What a certificate says (RFC 5280, 4.1.2); names and keys are DER. */
export interface CertificateContents {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly extensions: readonly Buffer[];
}

/** The empty name. */
export const emptyName = der(tag.sequence);

/** The name `O=<organization>`. */
export function organizationName(organization: string): Buffer {
  const attribute = der(tag.sequence, oid('2.5.4.10'), der(tag.utf8String, Buffer.from(organization)));
  return der(tag.sequence, der(tag.set, attribute));
}

const signInThread = promisify(
  (algorithm: string, bytes: Buffer, key: KeyObject, done: (error: Error | null, signature: Buffer) => void) =>
    sign(algorithm, bytes, key, done),
);

/** Signs a certificate of version 3 under a random serial number (hex), in a thread of its own; gives DER. */
export async function signCertificate(
  contents: CertificateContents,
  key: KeyObject,
): Promise<{ readonly raw: Buffer; readonly serialNumber: string }> {
  const { hash, identifier } = algorithmOf(key);
  const serial = randomSerial();
  const signed = der(
    tag.sequence,
    der(contextTag(0, true), der(tag.integer, Buffer.of(2))),
    der(tag.integer, serial),
    identifier,
    contents.issuer,
    der(tag.sequence, time(contents.notBeforeMs), time(contents.notAfterMs)),
    contents.subject,
    contents.publicKey,
    der(contextTag(3, true), der(tag.sequence, ...contents.extensions)),
  );
  const raw = der(tag.sequence, signed, identifier, bitString(await signInThread(hash, signed, key)));
  return { raw, serialNumber: serial.toString('hex') };
}

const rsaSha256 = der(tag.sequence, oid('1.2.840.113549.1.1.11'), der(tag.null));
const ecdsaSha256 = der(tag.sequence, oid('1.2.840.10045.4.3.2'));
const ecdsaSha384 = der(tag.sequence, oid('1.2.840.10045.4.3.3'));

function algorithmOf(key: KeyObject): { readonly hash: string; readonly identifier: Buffer } {
  if (key.asymmetricKeyType === 'rsa') return { hash: 'sha256', identifier: rsaSha256 };
  const isP384 = key.asymmetricKeyDetails?.namedCurve === 'secp384r1';
  return isP384 ? { hash: 'sha384', identifier: ecdsaSha384 } : { hash: 'sha256', identifier: ecdsaSha256 };
}

/** Positive, 127 bits, never a leading zero octet (RFC 5280, 4.1.2.2). */
function randomSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

/** DER as PEM with lines of 64 characters. */
export function pemOf(bytes: Buffer, label: string): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
