import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import {
  Certificate,
  type Extension,
  id_ce_subjectAltName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
} from '@peculiar/asn1-x509';
import * as x509 from '@peculiar/x509';
import ipaddr from 'ipaddr.js';
import { parseAsn, parseDer, serializeDer } from './der.ts';

/** A name that a certificate is for. */
export type SubjectName = { readonly uri: string } | { readonly dns: string } | { readonly ip: string };

/** Critical: the subject is empty (RFC 5280, 4.2.1.6). */
export function subjectAltName(names: readonly SubjectName[]): x509.Extension {
  return new x509.SubjectAlternativeNameExtension(names.map(generalName), true);
}

function generalName(name: SubjectName): x509.JsonGeneralName {
  if ('uri' in name) return { type: 'url', value: name.uri };
  if ('dns' in name) return { type: 'dns', value: name.dns };
  if (isIP(name.ip) === 0) throw new Error(`"${name.ip}" is no address`);
  // All eight groups in hexadecimal: the library knows no IPv6 address that ends like IPv4.
  return { type: 'ip', value: ipaddr.parse(name.ip).toNormalizedString() };
}

const leafUsagesMade = new Map<string, readonly x509.Extension[]>();

/** What the key of a leaf may do; made once, as every certificate has them. */
export function leafUsages(usages: readonly ('server' | 'client')[]): readonly x509.Extension[] {
  const made = leafUsagesMade.get(usages.join()) ?? makeLeafUsages(usages);
  leafUsagesMade.set(usages.join(), made);
  return made;
}

function makeLeafUsages(usages: readonly ('server' | 'client')[]): readonly x509.Extension[] {
  const { digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  return [
    new x509.KeyUsagesExtension(digitalSignature | keyEncipherment, true),
    new x509.ExtendedKeyUsageExtension(usages.map((usage) => (usage === 'server' ? serverAuth : clientAuth))),
    new x509.BasicConstraintsExtension(false, undefined, true),
  ];
}

/** keyCertSign and cRLSign of an authority, and that it is one. */
export function authorityUsages(): readonly x509.Extension[] {
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags;
  return [
    new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
    new x509.BasicConstraintsExtension(true, undefined, true),
  ];
}

export function subjectKeyIdentifier(keyId: Buffer): x509.Extension {
  return new x509.SubjectKeyIdentifierExtension(keyId.toString('hex'));
}

export function authorityKeyIdentifier(keyId: Buffer): x509.Extension {
  return new x509.AuthorityKeyIdentifierExtension(keyId.toString('hex'));
}

/** SHA-1 of the key's bits, of a SubjectPublicKeyInfo: RFC 5280, 4.2.1.2, method 1. A name, not a protection. */
export function keyIdOf(publicKey: Buffer): Buffer {
  const { subjectPublicKey } = parseAsn(publicKey, SubjectPublicKeyInfo);
  return createHash('sha1').update(Buffer.from(subjectPublicKey)).digest();
}

/** The values of the extensions with this identifier, in order: a good certificate or request has at most one. */
export function extensionValues(extensions: readonly Extension[], id: string): readonly Buffer[] {
  return extensions.filter(({ extnID }) => extnID === id).map(({ extnValue }) => Buffer.from(extnValue.buffer));
}

/** URIs of the subject alternative names, of all extensions that hold such, and how many names are none. */
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

/** The extensions of a certificate that OpenSSL has read; some authorities are not strict about DER. */
export function certificateExtensions(certificate: Buffer): readonly Extension[] {
  return [...(parseAsn(certificate, Certificate).tbsCertificate.extensions ?? [])];
}

/** The subject of a certificate as its bytes: some verifiers compare issuers by these. */
export function certificateSubject(certificate: Buffer): Buffer {
  return serializeDer(parseAsn(certificate, Certificate).tbsCertificate.subject);
}
