import type { X509Certificate } from 'node:crypto';
import { PemError, privateKeyOf, someCertificatesOf } from '../certificates/pem.ts';
import type { IdentityCheck, IdentityTexts } from './snapshot.ts';

/** Names of the texts of an identity in error messages, such as `key.pem`. */
export type TextNames = Readonly<Record<keyof IdentityTexts, string>>;

const fileNames: TextNames = {
  certificateChain: 'cert-chain.pem',
  privateKey: 'key.pem',
  rootCertificates: 'root-cert.pem',
};

/** Thrown and caught inside this file: the first fault ends the check. */
class Fault extends Error {}

/**
 * Checks an identity before it is served (X.509-SVID, sections 2 to 5): everything parses, the key is the leaf's, the
 * chain leads to a root, all of it is valid at `nowMs`, and the leaf has exactly one URI SAN, a SPIFFE ID.
 */
export function checkIdentity(texts: IdentityTexts, nowMs: number, names = fileNames): IdentityCheck {
  try {
    const chain = someCertificatesOf(texts.certificateChain, names.certificateChain);
    const roots = someCertificatesOf(texts.rootCertificates, names.rootCertificates);
    const [leaf] = chain;
    checkKey(leaf, texts.privateKey, names);
    for (const [i, certificate] of chain.entries())
      checkValidity(certificate, `certificate ${i + 1} of the chain`, nowMs);
    if (leaf.ca)
      throw new Fault(`the first certificate of ${names.certificateChain} is a CA, not a workload certificate`);
    const spiffeId = spiffeIdOf(leaf);
    checkChain(chain, roots, nowMs, names);
    return {
      snapshot: {
        spiffeId,
        certificateChain: texts.certificateChain,
        privateKey: texts.privateKey,
        rootCertificates: texts.rootCertificates,
        notAfterMs: Math.min(...chain.map((certificate) => Date.parse(certificate.validTo))),
        serialNumber: leaf.serialNumber,
      },
    };
  } catch (fault) {
    if (fault instanceof Fault || fault instanceof PemError) return { problem: fault.message };
    throw fault;
  }
}

function checkKey(leaf: X509Certificate, pem: string, names: TextNames): void {
  if (!leaf.checkPrivateKey(privateKeyOf(pem, names.privateKey)))
    throw new Fault(`${names.privateKey} is not the key of the first certificate of ${names.certificateChain}`);
}

function checkValidity(certificate: X509Certificate, name: string, nowMs: number): void {
  if (nowMs < Date.parse(certificate.validFrom))
    throw new Fault(`${name} is not valid before ${certificate.validFrom}`);
  if (nowMs > Date.parse(certificate.validTo)) throw new Fault(`${name} expired at ${certificate.validTo}`);
}

function spiffeIdOf(leaf: X509Certificate): string {
  // Node writes a name that holds a comma or a quote as a JSON string: such a name is no SPIFFE ID, and fails below.
  const names = (leaf.subjectAltName ?? '').split(', ');
  const uris = names.filter((name) => name.startsWith('URI:')).map((name) => name.slice('URI:'.length));
  if (uris.length !== 1)
    throw new Fault(`the leaf certificate has ${uris.length} URI SANs; a SPIFFE identity has exactly one`);
  const uri = uris[0] as string;
  if (!/^spiffe:\/\/[a-z0-9._-]{1,255}(\/[A-Za-z0-9._-]+)+$/.test(uri)) {
    throw new Fault(`the leaf's URI SAN ${JSON.stringify(uri)} is no SPIFFE ID of a workload`);
  }
  return uri;
}

function checkChain(
  chain: readonly [X509Certificate, ...X509Certificate[]],
  roots: readonly X509Certificate[],
  nowMs: number,
  names: TextNames,
): void {
  const [leaf, ...intermediates] = chain;
  let current = leaf;
  for (let depth = 0; depth <= intermediates.length; depth++) {
    const root = roots.find((candidate) => hasIssued(candidate, current));
    if (root !== undefined) {
      checkValidity(root, 'the root certificate', nowMs);
      return;
    }
    const next = intermediates.find((candidate) => candidate !== current && hasIssued(candidate, current));
    if (next === undefined) break;
    current = next;
  }
  throw new Fault(`${names.certificateChain} does not lead to a certificate of ${names.rootCertificates}`);
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
