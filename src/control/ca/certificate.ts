import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  Certificate,
  type Extension,
  Extensions,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import { arrayBufferOf, encoded, serializeDer } from './der.ts';

/** Contents of a certificate (RFC 5280, 4.1.2); names and keys are DER, and are copied unchanged. */
export interface CertificateContents {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** Whole seconds: a certificate holds no parts of one, and what is left of them is cut off. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly extensions: readonly Extension[];
}

export interface SignedCertificate {
  /** DER. */
  readonly raw: Buffer;
  readonly pem: string;
  /** Hex. */
  readonly serialNumber: string;
}

/** The empty name. */
export const emptyName = serializeDer(new Name());

const organizationAttribute = '2.5.4.10';

/** The name `O=<organization>`, UTF8String whatever its letters. */
export function organizationName(organization: string): Buffer {
  const value = new AttributeValue({ utf8String: organization });
  const attribute = new AttributeTypeAndValue({ type: organizationAttribute, value });
  return serializeDer(new Name([new RelativeDistinguishedName([attribute])]));
}

/** Signs a certificate of version 3 under a random serial number. */
export async function signCertificate(contents: CertificateContents, key: KeyObject): Promise<SignedCertificate> {
  const serialNumber = randomSerial();
  const { identifier, signatureOf } = signatureAlgorithmOf(key);
  const { notBeforeMs, notAfterMs } = contents;
  const signed = serializeDer(
    new TBSCertificate({
      version: Version.v3,
      serialNumber: arrayBufferOf(serialNumber),
      signature: identifier,
      issuer: encoded(contents.issuer, Name),
      validity: new Validity({ notBefore: new Date(notBeforeMs), notAfter: new Date(notAfterMs) }),
      subject: encoded(contents.subject, Name),
      subjectPublicKeyInfo: encoded(contents.publicKey, SubjectPublicKeyInfo),
      extensions: new Extensions([...contents.extensions]),
    }),
  );
  const raw = serializeDer(
    new Certificate({
      tbsCertificate: encoded(signed, TBSCertificate),
      signatureAlgorithm: identifier,
      signatureValue: arrayBufferOf(await signatureOf(signed)),
    }),
  );
  return { raw, pem: pemOf(raw), serialNumber: serialNumber.toString('hex') };
}

/** RFC 7468, 5: lines of 64 characters. */
function pemOf(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

interface SignatureAlgorithm {
  readonly identifier: AlgorithmIdentifier;
  /** Of bytes; ECDSA as the DER of RFC 3279, 2.2.3. */
  signatureOf(bytes: Buffer): Buffer | Promise<Buffer>;
}

const signatureAlgorithms = new WeakMap<KeyObject, SignatureAlgorithm>();

/** Made once a key. */
function signatureAlgorithmOf(key: KeyObject): SignatureAlgorithm {
  const made = signatureAlgorithms.get(key) ?? makeSignatureAlgorithm(key);
  signatureAlgorithms.set(key, made);
  return made;
}

const signInThread = promisify(sign);

/** RFC 4055, 5, whose identifier has NULL behind it, and RFC 5758, 3.2, whose identifiers have nothing. */
function makeSignatureAlgorithm(key: KeyObject): SignatureAlgorithm {
  if (key.asymmetricKeyType === 'rsa') {
    const identifier = fixed(new AlgorithmIdentifier({ algorithm: '1.2.840.113549.1.1.11', parameters: null }));
    return { identifier, signatureOf: (bytes) => signInThread('sha256', bytes, key) };
  }
  if (key.asymmetricKeyDetails?.namedCurve === 'secp384r1') {
    const identifier = fixed(new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.3' }));
    return { identifier, signatureOf: (bytes) => signInThread('sha384', bytes, key) };
  }
  const identifier = fixed(new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' }));
  // A signature takes some 20 µs on P-256, and the way to a thread and back several times as long.
  return { identifier, signatureOf: (bytes) => sign('sha256', bytes, key) };
}

function fixed(identifier: AlgorithmIdentifier): AlgorithmIdentifier {
  return encoded(serializeDer(identifier), AlgorithmIdentifier);
}

/** Positive, 127 bits, never a leading zero octet (RFC 5280, 4.1.2.2). */
function randomSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}
