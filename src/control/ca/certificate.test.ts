import 'reflect-metadata';
import { generateKeyPairSync, type KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';
import * as x509 from '@peculiar/x509';
import { describe, expect, test } from 'vitest';
import { type CertificateContents, emptyName, organizationName, signCertificate } from './certificate.ts';
import {
  authorityKeyIdentifier,
  authorityUsages,
  keyIdOf,
  leafUsages,
  type SubjectName,
  subjectAltName,
  subjectKeyIdentifier,
} from './extensions.ts';

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const spkiOf = ({ publicKey }: KeyPair): Buffer => publicKey.export({ format: 'der', type: 'spki' });
const uri = { uri: 'spiffe://cluster.local/ns/foo/sa/httpbin' };
const organization = 'Größe, "cluster.local"';
const day = 86_400_000;
const start = Date.UTC(2026, 2, 4, 5, 6, 7);

/** How the two ways are to differ from a workload's certificate by an authority on P-256. */
interface Form {
  readonly authority?: KeyPair;
  readonly leaf?: KeyPair;
  readonly names?: readonly SubjectName[];
  readonly usages?: readonly ('server' | 'client')[];
  readonly notAfterMs?: number;
  readonly isRoot?: boolean;
}

/** By us. */
function ours({ leaf = p256, authority = p256, notAfterMs = start + day, ...form }: Form): CertificateContents {
  const issuer = organizationName(organization);
  const publicKey = spkiOf(form.isRoot ? authority : leaf);
  const keyId = subjectKeyIdentifier(keyIdOf(publicKey));
  return {
    issuer,
    subject: form.isRoot ? issuer : emptyName,
    notBeforeMs: start,
    notAfterMs,
    publicKey,
    extensions: form.isRoot
      ? [...authorityUsages(), keyId]
      : [
          ...leafUsages(form.usages ?? ['server', 'client'], publicKey),
          subjectAltName(form.names ?? [uri]),
          keyId,
          authorityKeyIdentifier(keyIdOf(spkiOf(authority))),
        ],
  };
}

/** By another library, in words of its own. */
async function theirs(
  { leaf = p256, authority = p256, notAfterMs = start + day, ...form }: Form,
  serialNumber: string,
): Promise<Buffer> {
  const publicKey = spkiOf(form.isRoot ? authority : leaf);
  const keyId = new x509.SubjectKeyIdentifierExtension(await keyIdByOthers(publicKey));
  const issuer = new x509.Name([{ O: [{ utf8String: organization }] }]);
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber,
      issuer,
      subject: form.isRoot ? issuer : new x509.Name([]),
      notBefore: new Date(start),
      notAfter: new Date(notAfterMs),
      publicKey,
      extensions: form.isRoot
        ? [
            new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
            new x509.BasicConstraintsExtension(true, undefined, true),
            keyId,
          ]
        : [
            new x509.KeyUsagesExtension(leafKeyUsages(leaf), true),
            new x509.ExtendedKeyUsageExtension((form.usages ?? ['server', 'client']).map((usage) => purposes[usage])),
            new x509.BasicConstraintsExtension(false, undefined, true),
            new x509.SubjectAlternativeNameExtension((form.names ?? [uri]).map(generalName), true),
            keyId,
            new x509.AuthorityKeyIdentifierExtension(await keyIdByOthers(spkiOf(authority))),
          ],
      ...(await signingOf(authority)),
    },
    webcrypto,
  );
  return Buffer.from(certificate.rawData);
}

/** RFC 8813, 3: a key on a curve enciphers no keys. */
function leafKeyUsages({ publicKey }: KeyPair): number {
  const { digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
  return publicKey.asymmetricKeyType === 'rsa' ? digitalSignature | keyEncipherment : digitalSignature;
}

const purposes = { server: x509.ExtendedKeyUsage.serverAuth, client: x509.ExtendedKeyUsage.clientAuth };

function generalName(name: SubjectName): x509.JsonGeneralName {
  if ('uri' in name) return { type: 'url', value: name.uri };
  return 'dns' in name ? { type: 'dns', value: name.dns } : { type: 'ip', value: name.ip };
}

async function keyIdByOthers(spki: Buffer): Promise<string> {
  return Buffer.from(await new x509.PublicKey(spki).getKeyIdentifier(webcrypto)).toString('hex');
}

async function signingOf({ privateKey }: KeyPair) {
  const { namedCurve } = privateKey.asymmetricKeyDetails ?? {};
  const signingAlgorithm =
    namedCurve === undefined
      ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
      : namedCurve === 'secp384r1'
        ? { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }
        : { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' });
  const signingKey = await webcrypto.subtle.importKey('pkcs8', bytes, signingAlgorithm, false, ['sign']);
  return { signingKey, signingAlgorithm };
}

const signedPart = (certificate: Buffer): string =>
  Buffer.from(AsnConvert.serialize(AsnConvert.parse(certificate, Certificate).tbsCertificate)).toString('hex');

describe('signCertificate', () => {
  test.each<[string, Form]>([
    ['a workload on P-256, by an authority on P-256', {}],
    ['a workload on P-384, by an authority on P-384', { leaf: p384, authority: p384 }],
    ['a workload with RSA, by an authority with RSA', { leaf: rsa, authority: rsa }],
    ['a workload with RSA, by an authority on P-256', { leaf: rsa }],
    ['another workload', { names: [{ uri: `spiffe://${'x'.repeat(200)}/ns/foo-bar/sa/a.b-c` }] }],
    [
      'a server, by its names and addresses',
      { usages: ['server'], names: [{ dns: 'meshd.mesh-system.svc' }, { ip: '10.0.0.1' }, { ip: '2001:db8::1' }] },
    ],
    ['a root that holds beyond 2049', { isRoot: true, notAfterMs: Date.UTC(2050, 0, 1) }],
    ['a root with RSA', { isRoot: true, authority: rsa }],
  ])('signs for %s the same bytes as another library', async (_, form) => {
    const { raw, pem, serialNumber } = await signCertificate(ours(form), (form.authority ?? p256).privateKey);
    const other = await theirs(form, serialNumber);
    expect(signedPart(raw)).toBe(signedPart(other));
    const [certificate, otherCertificate] = [raw, other].map((bytes) => AsnConvert.parse(bytes, Certificate));
    expect(certificate?.signatureAlgorithm).toEqual(otherCertificate?.signatureAlgorithm);
    // Its signature and its PEM, by OpenSSL.
    const read = new X509Certificate(pem);
    expect(read.verify((form.authority ?? p256).publicKey)).toBe(true);
    expect(pem).toBe(read.toString());
    expect([read.raw, read.serialNumber]).toEqual([raw, serialNumber.toUpperCase()]);
  });

  test('copies a name byte for byte, because some verifiers compare issuers by their bytes', async () => {
    // PrintableString, which is not what we write ourselves.
    const issuer = Buffer.from('300c310a300806035504031301 43'.replaceAll(' ', ''), 'hex');
    const { raw } = await signCertificate({ ...ours({}), issuer }, p256.privateKey);
    expect(raw.includes(issuer)).toBe(true);
    expect(new X509Certificate(raw).issuer).toBe('CN=C');
  });

  test('never gives a serial number twice, or one that is negative or has more than 20 octets', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => signCertificate(ours({}), p256.privateKey)));
    const serials = made.map(({ serialNumber }) => serialNumber);
    expect(new Set(serials).size).toBe(50);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9a-f]{31}$/);
  });
});
