import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import {
  BasicConstraints,
  id_ce_basicConstraints,
  id_ce_subjectKeyIdentifier,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import { certificatesOf, PemError, privateKeyOf, someCertificatesOf } from '../../certificates/pem.ts';
import { type AuthorityNames, meshNames } from './authority-names.ts';
import { keyProblem } from './check-key.ts';
import { DerError, parseAsn } from './der.ts';
import { certificateExtensions, certificateSubject, extensionValues, keyIdOf } from './extensions.ts';

/** The files of a CA, PEM, not checked yet. */
export interface AuthorityTexts {
  /** The certificate that signs. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Intermediates from the signing certificate on towards the root; may be empty, may repeat either end. */
  readonly chain: string;
  /** One root, or several while one is replaced. */
  readonly roots: string;
}

/** A CA whose files are valid. Never log the whole object: it contains the key. */
export interface Signer {
  readonly key: KeyObject;
  /** DER, as the certificate has it. */
  readonly subject: Buffer;
  readonly keyId: Buffer;
  /** PEM, one certificate each: what lies between a leaf and the root. */
  readonly chain: readonly string[];
  /** PEM, in the order of the file. */
  readonly roots: string;
  /** SHA-256 of each root, hex. */
  readonly rootFingerprints: ReadonlySet<string>;
  /** Of the root that the chain leads to. */
  readonly rootFingerprint: string;
  /** SHA-256 of the signing certificate, hex. */
  readonly fingerprint: string;
  /** The latest start and the earliest end of everything from the signing certificate to the root. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly rootNotAfterMs: number;
}

export type CheckedAuthority =
  | { readonly signer: Signer; readonly problem?: never }
  | { readonly problem: string; readonly signer?: never };

class Fault extends Error {}

/**
 * Checks a CA before it signs: the key belongs to the certificate, the certificate and all above it may sign certificates,
 * the chain leads to a root, and all of them are valid at `nowMs` (RFC 5280, 6.1). The problem calls them by `names`, and
 * never quotes the texts.
 */
export function createSigner(
  texts: AuthorityTexts,
  nowMs: number,
  names: AuthorityNames = meshNames,
): CheckedAuthority {
  try {
    return { signer: check(texts, nowMs, names) };
  } catch (error) {
    if (error instanceof Fault || error instanceof PemError) return { problem: error.message };
    if (error instanceof DerError) return { problem: `a certificate of the authority is not in DER: ${error.message}` };
    throw error;
  }
}

function check(texts: AuthorityTexts, nowMs: number, names: AuthorityNames): Signer {
  const [certificate, ...rest] = someCertificatesOf(texts.certificate, names.certificate);
  const roots = someCertificatesOf(texts.roots, names.roots);
  const key = keyOf(texts.privateKey, certificate, names);
  const path = pathToRoot(certificate, [...rest, ...certificatesOf(texts.chain, names.chain)], roots);
  if (path === undefined) {
    const way = names.chain === names.certificate ? '' : ` by way of ${names.chain}`;
    throw new Fault(`${names.certificate} does not lead to a root of ${names.roots}${way}`);
  }
  for (const [i, link] of path.entries()) checkLink(link, placeOf(i, path.length, names), i, nowMs);
  const root = path.at(-1) as X509Certificate;
  return {
    key,
    subject: certificateSubject(certificate.raw),
    keyId: keyIdentifierOf(certificate),
    chain: path.slice(0, -1).map((link) => link.toString()),
    roots: roots.map((it) => it.toString()).join(''),
    rootFingerprints: new Set(roots.map(fingerprintOf)),
    rootFingerprint: fingerprintOf(root),
    fingerprint: fingerprintOf(certificate),
    notBeforeMs: Math.max(...path.map(({ validFrom }) => Date.parse(validFrom))),
    notAfterMs: Math.min(...path.map(({ validTo }) => Date.parse(validTo))),
    rootNotAfterMs: Date.parse(root.validTo),
  };
}

function keyOf(pem: string, certificate: X509Certificate, names: AuthorityNames): KeyObject {
  const key = privateKeyOf(pem, names.privateKey);
  const problem = keyProblem(key);
  if (problem !== undefined) throw new Fault(`${names.privateKey} is refused: ${problem}`);
  if (!certificate.checkPrivateKey(key)) throw new Fault(`${names.privateKey} is not the key of ${names.certificate}`);
  return key;
}

/** From the signing certificate to a root, both included; undefined: it leads to none. */
function pathToRoot(
  certificate: X509Certificate,
  intermediates: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): readonly X509Certificate[] | undefined {
  const path = [certificate];
  for (;;) {
    const last = path.at(-1) as X509Certificate;
    if (roots.some((root) => root.fingerprint256 === last.fingerprint256)) return path;
    const root = roots.find((candidate) => hasIssued(candidate, last));
    if (root !== undefined) return [...path, root];
    const next = intermediates.find((candidate) => hasIssued(candidate, last) && !isIn(path, candidate));
    if (next === undefined) return undefined;
    path.push(next);
  }
}

function isIn(path: readonly X509Certificate[], certificate: X509Certificate): boolean {
  return path.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256);
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** What messages call a certificate of the path. */
function placeOf(depth: number, length: number, { certificate }: AuthorityNames): string {
  if (depth === 0) return certificate;
  return depth === length - 1 ? `the root of ${certificate}` : `intermediate ${depth} of ${certificate}`;
}

function checkLink(certificate: X509Certificate, name: string, depth: number, nowMs: number): void {
  if (nowMs < Date.parse(certificate.validFrom))
    throw new Fault(`${name} is not valid before ${certificate.validFrom}`);
  if (nowMs >= Date.parse(certificate.validTo)) throw new Fault(`${name} expired at ${certificate.validTo}`);
  // OpenSSL's reading, key usage included.
  if (!certificate.ca) throw new Fault(`${name} may not sign certificates: CA:TRUE or keyCertSign is missing`);
  const longest = pathLengthOf(certificate);
  // A root's own limit counts too: OpenSSL and Go hold it against the chain.
  if (longest !== undefined && depth > longest)
    throw new Fault(`${name} allows ${longest} authorities below it, not ${depth}`);
}

function pathLengthOf(certificate: X509Certificate): number | undefined {
  const [value] = extensionValues(certificateExtensions(certificate.raw), id_ce_basicConstraints);
  return value && parseAsn(value, BasicConstraints).pathLenConstraint;
}

function keyIdentifierOf(certificate: X509Certificate): Buffer {
  const [value] = extensionValues(certificateExtensions(certificate.raw), id_ce_subjectKeyIdentifier);
  if (value === undefined) return keyIdOf(certificate.publicKey.export({ format: 'der', type: 'spki' }));
  return Buffer.from(parseAsn(value, SubjectKeyIdentifier).buffer);
}

/** SHA-256 of the DER, lower-case hex. */
export function fingerprintOf({ raw }: { readonly raw: Buffer }): string {
  return createHash('sha256').update(raw).digest('hex');
}
