import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { CertificationRequest } from '@peculiar/asn1-csr';
import { type Attribute, Extensions, id_ce_subjectAltName, type SubjectPublicKeyInfo } from '@peculiar/asn1-x509';
import { keyProblem } from './check-key.ts';
import { DerError, parseDer, serializeDer } from './der.ts';
import { extensionValues, keyIdOf, readNames } from './extensions.ts';

/** The parts of a signing request that are used: its key, and the identity that it names. */
export interface SigningRequest {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** Its subject key identifier: SHA-1 of its bits. */
  readonly keyId: Buffer;
  /** The one URI it asks for; undefined when it leaves that to the CA. */
  readonly uri: string | undefined;
}

export type ParsedRequest =
  | { readonly request: SigningRequest; readonly problem?: never }
  | { readonly problem: string; readonly request?: never };

/** An RSA key of 8192 bits takes 3 KiB; reading 64 KiB of tiny values takes a third of a second. Looked at before all else. */
const longestRequest = 8_192;

class Fault extends Error {}

/**
 * Parses a PKCS #10 request (RFC 2986): one PEM block of strict DER, signed by its own key, which must be strong enough. Of
 * the requested extensions only the subject alternative name is read, with at most one URI; the subject and all other
 * extensions are ignored, because nothing of them is copied into a certificate. The problem never quotes the request.
 */
export function parseRequest(pem: string): ParsedRequest {
  try {
    return { request: parse(decodePem(pem)) };
  } catch (error) {
    if (error instanceof Fault) return { problem: error.message };
    if (error instanceof DerError) return { problem: `the signing request is no PKCS #10: ${error.message}` };
    throw error;
  }
}

const begin = '-----BEGIN CERTIFICATE REQUEST-----';
const end = '-----END CERTIFICATE REQUEST-----';

function decodePem(pem: string): Buffer {
  if (pem.length > longestRequest) {
    throw new Fault(`the signing request has ${pem.length} characters, more than ${longestRequest}`);
  }
  const text = pem.trim();
  const isBlock = text.startsWith(begin) && text.endsWith(end) && text.length > begin.length + end.length;
  const base64 = isBlock ? text.slice(begin.length, -end.length).replaceAll(/\s/g, '') : '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new Fault('the signing request is not one PEM block CERTIFICATE REQUEST');
  }
  return Buffer.from(base64, 'base64');
}

function parse(bytes: Buffer): SigningRequest {
  const request = parseDer(bytes, CertificationRequest);
  const { version, subjectPKInfo, attributes } = request.certificationRequestInfo;
  if (version !== 0) throw new DerError('it is not of version 1');
  const publicKey = serializeDer(subjectPKInfo);
  checkSignature(request, goodKeyOf(publicKey, subjectPKInfo));
  return { publicKey, keyId: keyIdOf(subjectPKInfo), uri: requestedUri([...attributes]) };
}

function goodKeyOf(publicKey: Buffer, info: SubjectPublicKeyInfo): KeyObject {
  // A key of a usual curve is found by its figures alone, in a third of the time; whatever else it is, the rest tells.
  const point = keyOfPoint(Buffer.from(info.subjectPublicKey));
  const isUsual = point !== undefined && usualForm(point).equals(publicKey);
  const key = isUsual ? point : readKey(publicKey);
  const problem = keyProblem(key);
  if (problem !== undefined) throw new Fault(`the signing request is refused: ${problem}`);
  if (!isUsual && !usualForm(byFigures(key)).equals(publicKey)) {
    throw new Fault('the key of the signing request is not in its usual form');
  }
  return key;
}

/** By the length of an uncompressed point, in octets (SEC 1, 2.3.3). */
const curveOfLength: Readonly<Record<number, string>> = { 65: 'P-256', 97: 'P-384' };

/** Undefined where the bits cannot be a point of the curve that has points of this length. */
function keyOfPoint(bits: Buffer): KeyObject | undefined {
  const crv = curveOfLength[bits.length];
  if (crv === undefined) return undefined;
  const half = (bits.length - 1) / 2;
  const x = bits.toString('base64url', 1, 1 + half);
  const y = bits.toString('base64url', 1 + half);
  try {
    return createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function readKey(publicKey: Buffer): KeyObject {
  try {
    return createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  } catch {
    // OpenSSL's own reason says less.
    throw new Fault('the key of the signing request cannot be read');
  }
}

/**
 * Rebuilds the key from its JWK parameters, which gives its canonical DER encoding. OpenSSL also accepts BER and compressed
 * points, which other verifiers may reject.
 */
function byFigures(key: KeyObject): KeyObject {
  return createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' });
}

function usualForm(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

interface SignatureAlgorithm {
  readonly keyType: 'rsa' | 'ec';
  readonly hash: string;
}

/** By object identifier: RFC 4055, 5 and RFC 5758, 3.2. */
const signatureAlgorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.11': { keyType: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { keyType: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { keyType: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.3.2': { keyType: 'ec', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { keyType: 'ec', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { keyType: 'ec', hash: 'sha512' },
};

const nullValue = Buffer.of(5, 0);

/** Who asks must have the private key, or a stranger's public key could get a name. */
function checkSignature(request: CertificationRequest, key: KeyObject): void {
  const known = signatureAlgorithms[request.signatureAlgorithm.algorithm];
  if (known === undefined || known.keyType !== key.asymmetricKeyType) {
    throw new Fault('the signing request is not signed by its key with SHA-256, SHA-384 or SHA-512');
  }
  // NULL or nothing: some leave it out, some add it (RFC 4055, 2.1).
  const { parameters } = request.signatureAlgorithm;
  if (parameters !== undefined && parameters !== null && !Buffer.from(parameters).equals(nullValue)) {
    throw new DerError('its signature has parameters');
  }
  if (!verify(known.hash, signedPart(request), key, Buffer.from(request.signature))) {
    throw new Fault('the signature of the signing request is not that of its key');
  }
}

/** As it came, which is DER: the whole request is. */
function signedPart({ certificationRequestInfoRaw: bytes }: CertificationRequest): Buffer {
  if (bytes === undefined) throw new DerError('it has no part that is signed');
  return Buffer.from(bytes);
}

/** The attribute extensionRequest of RFC 2985, 5.4.2. */
const extensionRequest = '1.2.840.113549.1.9.14';

function requestedUri(attributes: readonly Attribute[]): string | undefined {
  const asking = attributes.filter(({ type }) => type === extensionRequest);
  const requested: readonly (ArrayBuffer | null)[] = asking.flatMap(({ values }) => values);
  // It has one value (RFC 2985, 5.4.2): of two, another reader may take the other.
  if (asking.length > 0 && requested.length !== 1) {
    throw new Fault('the signing request does not ask for extensions exactly once');
  }
  const extensions = requested.flatMap((value) => [...parseDer(bytesOf(value), Extensions)]);
  if (extensionValues(extensions, id_ce_subjectAltName).length > 1) {
    throw new Fault('the signing request asks for subject alternative names more than once');
  }
  const { uris, others } = readNames(extensions);
  if (others > 0) throw new Fault('the signing request asks for names that are no URI');
  if (uris.length > 1) throw new Fault(`the signing request asks for ${uris.length} URIs; an identity is one`);
  return uris[0];
}

/** The library has null where the bytes have NULL. */
function bytesOf(value: ArrayBuffer | null): Buffer {
  if (value === null) throw new DerError('a value is not in DER');
  return Buffer.from(value);
}
