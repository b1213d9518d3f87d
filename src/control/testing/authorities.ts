import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** What a test wants to be different from a plain, good authority. */
export interface AuthorityForm {
  readonly name?: string;
  /** Signs it; itself when absent. */
  readonly parent?: TestAuthority;
  /** From now; negative for one that has ended. */
  readonly days?: number;
  readonly startDays?: number;
  readonly isCa?: boolean;
  readonly pathLength?: number;
  readonly usages?: number;
  readonly algorithm?: 'P-256' | 'P-384' | 'P-521' | 'RSA' | 'RSA-1024' | undefined;
  /** Of an authority that gets another certificate. */
  readonly keys?: webcrypto.CryptoKeyPair;
  readonly uris?: readonly string[];
  readonly dnsNames?: readonly string[];
}

/** A certificate with its key, PEM; made by a library that is not ours. */
export interface TestAuthority {
  readonly certificate: string;
  readonly privateKey: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly parsed: x509.X509Certificate;
}

const dayMs = 86_400_000;
x509.cryptoProvider.set(webcrypto);

/** A root, or what `parent` has signed. */
export async function createTestAuthority(form: AuthorityForm = {}): Promise<TestAuthority> {
  const { name = 'test root', parent, days = 100, startDays = -1, isCa = true, pathLength, algorithm = 'P-256' } = form;
  const keys = form.keys ?? (await createKeys(algorithm));
  const names: x509.JsonGeneralNames = [
    ...(form.uris ?? []).map((value) => ({ type: 'url' as const, value })),
    ...(form.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
  ];
  const usages = form.usages ?? x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign;
  const parsed = await x509.X509CertificateGenerator.create({
    serialNumber: `01${Buffer.from(webcrypto.getRandomValues(new Uint8Array(12))).toString('hex')}`,
    subject: `O=mesh test, CN=${name}`,
    issuer: parent?.parsed.subject ?? `O=mesh test, CN=${name}`,
    notBefore: new Date(Date.now() + startDays * dayMs),
    notAfter: new Date(Date.now() + days * dayMs),
    signingAlgorithm: signingAlgorithmOf(parent?.keys ?? keys),
    publicKey: keys.publicKey,
    signingKey: (parent?.keys ?? keys).privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(isCa, pathLength, true),
      new x509.KeyUsagesExtension(usages, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(parent ? [await x509.AuthorityKeyIdentifierExtension.create(parent.keys.publicKey)] : []),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  return { certificate: pem(parsed), privateKey: await pemOfKey(keys.privateKey), keys, parsed };
}

export function createKeys(algorithm: NonNullable<AuthorityForm['algorithm']>): Promise<webcrypto.CryptoKeyPair> {
  const parameters = algorithm.startsWith('RSA')
    ? {
        name: 'RSASSA-PKCS1-v1_5',
        hash: 'SHA-256',
        publicExponent: new Uint8Array([1, 0, 1]),
        modulusLength: algorithm === 'RSA' ? 2048 : 1024,
      }
    : { name: 'ECDSA', namedCurve: algorithm };
  return webcrypto.subtle.generateKey(parameters as webcrypto.EcKeyGenParams, true, ['sign', 'verify']);
}

export function signingAlgorithmOf({ privateKey }: webcrypto.CryptoKeyPair, hash = 'SHA-256') {
  return { ...privateKey.algorithm, hash } as x509.Pkcs10CertificateRequestCreateParams['signingAlgorithm'] & object;
}

export async function pemOfKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function pem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}
