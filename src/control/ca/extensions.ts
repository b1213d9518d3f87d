import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { contextTag, type DerValue, der, oid, readChildren, readConstructed, readDer, tag } from './der.ts';

/** Object identifiers of RFC 5280, 4.2.1, as they stand in DER. */
export const extensionId = {
  subjectKeyIdentifier: oid('2.5.29.14'),
  keyUsage: oid('2.5.29.15'),
  subjectAltName: oid('2.5.29.17'),
  basicConstraints: oid('2.5.29.19'),
  authorityKeyIdentifier: oid('2.5.29.35'),
  extendedKeyUsage: oid('2.5.29.37'),
} as const;

const serverAuth = oid('1.3.6.1.5.5.7.3.1');
const clientAuth = oid('1.3.6.1.5.5.7.3.2');

/** A name that a certificate is for. */
export type SubjectName = { readonly uri: string } | { readonly dns: string } | { readonly ip: string };

/** Critical: the subject is empty (RFC 5280, 4.2.1.6). */
export function subjectAltName(names: readonly SubjectName[]): Buffer {
  return extension(extensionId.subjectAltName, true, der(tag.sequence, ...names.map(generalName)));
}

function generalName(name: SubjectName): Buffer {
  if ('uri' in name) return der(contextTag(6, false), Buffer.from(name.uri, 'latin1'));
  if ('dns' in name) return der(contextTag(2, false), Buffer.from(name.dns, 'latin1'));
  if (isIP(name.ip) === 0) throw new Error(`"${name.ip}" is no address`);
  return der(contextTag(7, false), Buffer.from(ipaddr.parse(name.ip).toByteArray()));
}

/** What the key of a leaf may do. */
export function leafUsages(usages: readonly ('server' | 'client')[]): readonly Buffer[] {
  const purposes = usages.map((usage) => (usage === 'server' ? serverAuth : clientAuth));
  return [
    // digitalSignature, keyEncipherment
    extension(extensionId.keyUsage, true, der(tag.bitString, Buffer.of(5, 0xa0))),
    extension(extensionId.extendedKeyUsage, false, der(tag.sequence, ...purposes)),
    extension(extensionId.basicConstraints, true, der(tag.sequence)),
  ];
}

/** keyCertSign and cRLSign of an authority, and that it is one. */
export function authorityUsages(): readonly Buffer[] {
  return [
    extension(extensionId.keyUsage, true, der(tag.bitString, Buffer.of(1, 0x06))),
    extension(extensionId.basicConstraints, true, der(tag.sequence, der(tag.boolean, Buffer.of(0xff)))),
  ];
}

export function subjectKeyIdentifier(keyId: Buffer): Buffer {
  return extension(extensionId.subjectKeyIdentifier, false, der(tag.octetString, keyId));
}

export function authorityKeyIdentifier(keyId: Buffer): Buffer {
  return extension(extensionId.authorityKeyIdentifier, false, der(tag.sequence, der(contextTag(0, false), keyId)));
}

/** SHA-1 of the key's bits: RFC 5280, 4.2.1.2, method 1. A name, not a protection. */
export function keyIdOf(publicKey: Buffer): Buffer {
  const [, bits] = readConstructed(readDer(publicKey), tag.sequence);
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? '')
    .digest();
}

function extension(id: Buffer, isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [der(tag.boolean, Buffer.of(0xff))] : [];
  return der(tag.sequence, id, ...critical, der(tag.octetString, value));
}

/** The values of the extensions with this identifier, in order: a good certificate or request has at most one. */
export function extensionValues(extensions: DerValue, id: Buffer): readonly DerValue[] {
  return readConstructed(extensions, tag.sequence)
    .map((entry) => readConstructed(entry, tag.sequence))
    .filter(([name]) => name?.whole.equals(id))
    .map((parts) => readDer(parts.at(-1)?.content ?? Buffer.alloc(0)));
}

/** URIs of subject alternative names, and how many names are none. */
export function readNames(value: DerValue): { readonly uris: readonly string[]; readonly others: number } {
  const names = readConstructed(value, tag.sequence);
  const uris = names
    .filter((name) => name.tag === contextTag(6, false))
    .map(({ content }) => content.toString('latin1'));
  return { uris, others: names.length - uris.length };
}

/** The extensions of a certificate (`[3]` of its first part); undefined when it has none. */
export function certificateExtensions(certificate: Buffer): DerValue | undefined {
  const [signed] = readConstructed(readDer(certificate), tag.sequence);
  const wrapper = readConstructed(signed, tag.sequence).find((part) => part.tag === contextTag(3, true));
  return wrapper && readChildren(wrapper)[0];
}

/** The subject of a certificate as its bytes: some verifiers compare issuers by these. */
export function certificateSubject(certificate: Buffer): Buffer {
  const [signed] = readConstructed(readDer(certificate), tag.sequence);
  const parts = readConstructed(signed, tag.sequence);
  // version [0], serial, algorithm, issuer, validity, subject; the version is absent in version 1
  const subject = parts[parts[0]?.tag === contextTag(0, true) ? 5 : 4];
  readConstructed(subject, tag.sequence);
  return subject?.whole ?? Buffer.alloc(0);
}
