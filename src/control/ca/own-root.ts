import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { certificatesOf } from '../../certificates/pem.ts';
import type { ReadClock } from '../../lib/clock.ts';
import { organizationName, signCertificate } from './certificate.ts';
import { authorityUsages, keyIdOf, subjectKeyIdentifier } from './extensions.ts';
import type { Signer } from './signer.ts';

/** Settings of a self-signed root. */
export interface OwnRootOptions {
  /** Becomes the root's `O=`. */
  readonly trustDomain: string;
  /** Of a root that is made now; one that is there keeps its key. */
  readonly keyAlgorithm: 'ECDSA' | 'RSA';
  readonly clock: ReadClock;
}

/** A self-signed root and its key, PEM. Never log it. */
export interface OwnRoot {
  readonly certificate: string;
  /** PKCS #8 */
  readonly privateKey: string;
}

const years10Ms = 3_650 * 86_400_000;
const skewMs = 120_000;

const generate = promisify(generateKeyPair);

/** Creates a root: valid for ten years, ECDSA P-256 or RSA 2048. */
export async function makeOwnRoot({ keyAlgorithm, trustDomain, clock }: OwnRootOptions): Promise<OwnRoot> {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } =
    keyAlgorithm === 'RSA'
      ? await generate('rsa', { modulusLength: 2_048 })
      : await generate('ec', { namedCurve: 'P-256' });
  return signRoot(privateKey, publicKey, organizationName(trustDomain), clock);
}

/** Whether a root is in the last fifth of its lifetime. */
export function isRenewalDue({ rootNotAfterMs }: Signer, nowMs: number): boolean {
  return rootNotAfterMs - nowMs <= years10Ms / 5;
}

/**
 * Signs the root again with the same key and name, so that certificates under either form are valid under both. `before` are
 * the earlier forms that are still valid, PEM; they stay in the trust bundle, because an agent that knows only one of them
 * accepts no bundle without it.
 */
export async function renewOwnRoot(signer: Signer, clock: ReadClock): Promise<OwnRoot & { readonly before: string }> {
  const root = await signRoot(signer.key, createPublicKey(signer.key), signer.subject, clock);
  const before = certificatesOf(signer.roots, 'the roots').filter(({ validTo }) => Date.parse(validTo) > clock());
  return { ...root, before: before.map(String).join('') };
}

async function signRoot(privateKey: KeyObject, publicKey: KeyObject, name: Buffer, clock: ReadClock): Promise<OwnRoot> {
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const nowMs = clock();
  const { pem } = await signCertificate(
    {
      issuer: name,
      subject: name,
      notBeforeMs: nowMs - skewMs,
      notAfterMs: nowMs + years10Ms,
      publicKey: spki,
      extensions: [...authorityUsages(), subjectKeyIdentifier(keyIdOf(spki))],
    },
    privateKey,
  );
  return { certificate: pem, privateKey: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) };
}
