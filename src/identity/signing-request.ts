import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

const signAsync = promisify(sign) as (algorithm: string, bytes: Uint8Array, key: KeyObject) => Promise<Buffer>;

/**
 * A PKCS #10 request (RFC 2986), PEM: an empty subject, and one critical subject alternative name, the SPIFFE ID as URI.
 * Signed with SHA-256. Written by hand: the libraries for it cost more memory than the rest of an agent's identity.
 */
export async function createSigningRequest(spiffeId: string, key: KeyObject): Promise<string> {
  const info = sequence(
    Buffer.from('020100', 'hex'),
    sequence(),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    element(0xa0, sequence(oid.extensionRequest, element(0x31, sequence(alternativeName(spiffeId))))),
  );
  const signature = await signAsync('sha256', info, key);
  const algorithm = key.asymmetricKeyType === 'ec' ? signatureAlgorithm.ecdsa : signatureAlgorithm.rsa;
  return pem(sequence(info, algorithm, element(0x03, Buffer.of(0), signature)));
}

/** Object identifiers, DER. */
const oid = {
  /** 1.2.840.113549.1.9.14 (PKCS #9) */
  extensionRequest: Buffer.from('06092a864886f70d01090e', 'hex'),
  /** 2.5.29.17 (RFC 5280 4.2.1.6) */
  subjectAltName: Buffer.from('0603551d11', 'hex'),
} as const;

const signatureAlgorithm = {
  /** ecdsa-with-SHA256, 1.2.840.10045.4.3.2 (RFC 5758), without parameters. */
  ecdsa: Buffer.from('300a06082a8648ce3d040302', 'hex'),
  /** sha256WithRSAEncryption, 1.2.840.113549.1.1.11 (RFC 4055), with the parameter NULL. */
  rsa: Buffer.from('300d06092a864886f70d01010b0500', 'hex'),
} as const;

/** Critical, as RFC 5280 wants it beside an empty subject. */
function alternativeName(uri: string): Buffer {
  const isCritical = Buffer.from('0101ff', 'hex');
  // [6] of GeneralName, an IA5String.
  const names = sequence(element(0x86, Buffer.from(uri, 'latin1')));
  return sequence(oid.subjectAltName, isCritical, element(0x04, names));
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(0x30, ...parts);
}

/** Tag, length in its shortest form, content (X.690 10.1). */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const hex = content.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, content]);
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}
