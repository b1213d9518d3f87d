import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { type AuthorityForm, createKeys, pemOfKey, signingAlgorithmOf } from './authorities.ts';

/** What a test wants to be different from a plain, good signing request. */
export interface RequestForm {
  readonly algorithm?: AuthorityForm['algorithm'];
  readonly hash?: string;
  readonly subject?: string;
  readonly uris?: readonly string[];
  readonly dnsNames?: readonly string[];
  /** Beside the names: object identifier, whether critical, value. */
  readonly extensions?: readonly (readonly [string, boolean, Uint8Array])[];
}

/** PKCS #10 as PEM with its key, made by a library that is not ours. */
export async function createTestRequest(
  form: RequestForm = {},
): Promise<{ readonly csr: string; readonly privateKey: string }> {
  x509.cryptoProvider.set(webcrypto);
  const { algorithm = 'P-256', hash = 'SHA-256', subject = '', uris = [], dnsNames = [], extensions = [] } = form;
  const keys = await keysFor(algorithm, hash);
  const names: x509.JsonGeneralNames = [
    ...uris.map((value) => ({ type: 'url' as const, value })),
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
  ];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: signingAlgorithmOf(keys, hash),
    extensions: [
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names, true)] : []),
      ...extensions.map(([id, isCritical, value]) => new x509.Extension(id, isCritical, value)),
    ],
  });
  return { csr: `${request.toString('pem')}\n`, privateKey: await pemOfKey(keys.privateKey) };
}

/** WebCrypto binds RSA keys to their hash. */
async function keysFor(
  algorithm: NonNullable<RequestForm['algorithm']>,
  hash: string,
): Promise<webcrypto.CryptoKeyPair> {
  const keys = await createKeys(algorithm);
  if (!algorithm.startsWith('RSA') || hash === 'SHA-256') return keys;
  const parameters = { name: 'RSASSA-PKCS1-v1_5', hash };
  const [privateBytes, publicBytes] = [
    await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
    await webcrypto.subtle.exportKey('spki', keys.publicKey),
  ];
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', privateBytes, parameters, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', publicBytes, parameters, true, ['verify']),
  };
}

/** The same request with one bit of its last byte, a byte of the signature, turned. */
export function flipped(csr: string): string {
  const bytes = Buffer.from(csr.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}
