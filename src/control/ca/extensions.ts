import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { OctetString } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
} from '@peculiar/asn1-x509';
import ipaddr from 'ipaddr.js';
import { encoded, parseAsn, parseDer, serializeDer } from './der.ts';
import { quickExtensions } from './quick-extensions.ts';

/** A name that a certificate is for. */
export type SubjectName = { readonly uri: string } | { readonly dns: string } | { readonly ip: string };

/** Critical: the subject is empty (RFC 5280, 4.2.1.6). */
export function subjectAltName(names: readonly SubjectName[]): Extension {
  return extension(id_ce_subjectAltName, true, new SubjectAlternativeName(names.map(generalName)));
}

function generalName(name: SubjectName): GeneralName {
  if ('uri' in name) return new GeneralName({ uniformResourceIdentifier: name.uri });
  if ('dns' in name) return new GeneralName({ dNSName: name.dns });
  if (isIP(name.ip) === 0) throw new Error(`"${name.ip}" is no address`);
  // All eight groups in hexadecimal: the library knows no IPv6 address that ends like IPv4.
  return new GeneralName({ iPAddress: ipaddr.parse(name.ip).toNormalizedString() });
}

function extension(extnID: string, critical: boolean, value: object): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(serializeDer(value)) });
}

const leafUsagesMade = new Map<string, readonly Extension[]>();
const rsaEncryption = '1.2.840.113549.1.1.1';

/** Key usages of a leaf with this SubjectPublicKeyInfo; cached for each kind of key, because all certificates have them. */
export function leafUsages(usages: readonly ('server' | 'client')[], publicKey: Buffer): readonly Extension[] {
  const isRsa = parseAsn(publicKey, SubjectPublicKeyInfo).algorithm.algorithm === rsaEncryption;
  const kind = [isRsa, ...usages].join();
  const made = leafUsagesMade.get(kind) ?? makeLeafUsages(usages, isRsa);
  leafUsagesMade.set(kind, made);
  return made;
}

/** Only RSA enciphers keys: RFC 8813, 3, forbids keyEncipherment for elliptic curves, and strict verifiers look. */
function makeLeafUsages(usages: readonly ('server' | 'client')[], isRsa: boolean): readonly Extension[] {
  const { digitalSignature, keyEncipherment } = KeyUsageFlags;
  const purposes = usages.map((usage) => (usage === 'server' ? id_kp_serverAuth : id_kp_clientAuth));
  return [
    extension(id_ce_keyUsage, true, new KeyUsage(isRsa ? digitalSignature | keyEncipherment : digitalSignature)),
    extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage(purposes)),
    extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: false })),
  ].map(fixed);
}

/** keyCertSign and cRLSign of an authority, and that it is one. */
export function authorityUsages(): readonly Extension[] {
  const { keyCertSign, cRLSign } = KeyUsageFlags;
  return [
    extension(id_ce_keyUsage, true, new KeyUsage(keyCertSign | cRLSign)),
    extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true })),
  ];
}

export function subjectKeyIdentifier(keyId: Buffer): Extension {
  return extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyId));
}

const authorityKeyIdentifiers = new WeakMap<Buffer, Extension>();

/** The identifier of the CA's key; cached for each buffer, because all certificates of one CA have the same. */
export function authorityKeyIdentifier(keyId: Buffer): Extension {
  const made = authorityKeyIdentifiers.get(keyId) ?? fixed(makeAuthorityKeyIdentifier(keyId));
  authorityKeyIdentifiers.set(keyId, made);
  return made;
}

function makeAuthorityKeyIdentifier(keyId: Buffer): Extension {
  const value = new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyId) });
  return extension(id_ce_authorityKeyIdentifier, false, value);
}

/** What many certificates have alike is encoded once. */
function fixed(made: Extension): Extension {
  return encoded(serializeDer(made), Extension);
}

/**
 * SHA-1 of the key bits of a SubjectPublicKeyInfo (RFC 5280, 4.2.1.2, method 1). It identifies the key and protects nothing.
 */
export function keyIdOf(publicKey: Buffer | SubjectPublicKeyInfo): Buffer {
  const { subjectPublicKey } = Buffer.isBuffer(publicKey) ? parseAsn(publicKey, SubjectPublicKeyInfo) : publicKey;
  return createHash('sha1').update(Buffer.from(subjectPublicKey)).digest();
}

/** The values of all extensions with this identifier, in order; a valid certificate or request has at most one. */
export function extensionValues(extensions: readonly Extension[], id: string): readonly Buffer[] {
  return extensions.filter(({ extnID }) => extnID === id).map(({ extnValue }) => Buffer.from(extnValue.buffer));
}

/** The URIs in all extensions with subject alternative names, and the number of names that are no URI. */
export function readNames(extensions: readonly Extension[]): {
  readonly uris: readonly string[];
  readonly others: number;
} {
  const names = extensionValues(extensions, id_ce_subjectAltName).flatMap((value) => [
    ...parseDer(value, SubjectAlternativeName),
  ]);
  const uris = names.flatMap(({ uniformResourceIdentifier: uri }) => (uri === undefined ? [] : [uri]));
  return { uris, others: names.length - uris.length };
}

/** The extensions of a certificate that OpenSSL has parsed already; some CAs don't write strict DER. */
export function certificateExtensions(certificate: Buffer): readonly Extension[] {
  return quickExtensions(certificate) ?? [...(parseAsn(certificate, Certificate).tbsCertificate.extensions ?? [])];
}

/** The encoded subject of a certificate, because some verifiers compare issuers byte by byte. */
export function certificateSubject(certificate: Buffer): Buffer {
  return serializeDer(parseAsn(certificate, Certificate).tbsCertificate.subject);
}
