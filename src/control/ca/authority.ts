import type { ReadClock } from '../../lib/clock.ts';
import { emptyName, signCertificate } from './certificate.ts';
import {
  authorityKeyIdentifier,
  leafUsages,
  type SubjectName,
  subjectAltName,
  subjectKeyIdentifier,
} from './extensions.ts';
import { fingerprintOf, type Signer } from './signer.ts';

/** One certificate that is wanted. */
export interface LeafRequest {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** Its subject key identifier: SHA-1 of its bits. */
  readonly keyId: Buffer;
  readonly names: readonly SubjectName[];
  readonly lifetimeMs: number;
  readonly usages: readonly ('server' | 'client')[];
}

/** One certificate that was signed. */
export interface IssuedLeaf {
  /** PEM: the leaf, what lies between it and the root, one an element, and all roots in the last. */
  readonly chain: readonly string[];
  /** Hex. */
  readonly serialNumber: string;
  /** SHA-256 of the leaf, hex. */
  readonly fingerprint: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** The CA cannot sign now; it may later. */
export class AuthorityUnavailable extends Error {}

/** For clocks that are behind ours. */
const skewMs = 120_000;

/** Signs certificates with the active signer, which can be replaced by another one. */
export class CertificateAuthority {
  readonly #clock: ReadClock;
  readonly #listeners: (() => void)[] = [];
  #signer: Signer;

  constructor(signer: Signer, clock: ReadClock) {
    this.#signer = signer;
    this.#clock = clock;
  }

  get signer(): Signer {
    return this.#signer;
  }

  /** Called after another signer, or other roots, came into force. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Puts a signer into force, or says why not: workloads that trust the roots of before must have a root in common
   * with those that trust the new ones, so one bundle of roots must hold the other.
   */
  adopt(signer: Signer): string | undefined {
    const before = this.#signer;
    if (
      !holds(before.rootFingerprints, signer.rootFingerprints) &&
      !holds(signer.rootFingerprints, before.rootFingerprints)
    ) {
      return `its roots (${listOf(signer)}) neither hold those in force (${listOf(before)}) nor are among them`;
    }
    if (isSame(signer, before)) return undefined;
    this.#signer = signer;
    for (const listener of this.#listeners) listener();
    return undefined;
  }

  /**
   * Signs a leaf: valid from two minutes ago, never longer than the chain above it. Throws `AuthorityUnavailable` when
   * that chain has ended.
   */
  async issue({ publicKey, keyId, names, lifetimeMs, usages }: LeafRequest): Promise<IssuedLeaf> {
    const signer = this.#signer;
    const nowMs = this.#clock();
    if (nowMs >= signer.notAfterMs) throw new AuthorityUnavailable('the certificate of the authority has expired');
    if (nowMs < signer.notBeforeMs) throw new AuthorityUnavailable('the certificate of the authority is not valid yet');
    const notBeforeMs = wholeSeconds(Math.max(nowMs - skewMs, signer.notBeforeMs));
    const notAfterMs = wholeSeconds(Math.min(nowMs + lifetimeMs, signer.notAfterMs));
    const { raw, pem, serialNumber } = await signCertificate(
      {
        issuer: signer.subject,
        subject: emptyName,
        notBeforeMs,
        notAfterMs,
        publicKey,
        extensions: [
          ...leafUsages(usages, publicKey),
          subjectAltName(names),
          subjectKeyIdentifier(keyId),
          authorityKeyIdentifier(signer.keyId),
        ],
      },
      signer.key,
    );
    return {
      chain: [pem, ...signer.chain, signer.roots],
      serialNumber,
      fingerprint: fingerprintOf({ raw }),
      notBeforeMs,
      notAfterMs,
    };
  }
}

function holds(whole: ReadonlySet<string>, part: ReadonlySet<string>): boolean {
  return [...part].every((fingerprint) => whole.has(fingerprint));
}

/** The key is that of the certificate, so it needs no look. */
function isSame(a: Signer, b: Signer): boolean {
  return a.fingerprint === b.fingerprint && a.roots === b.roots && a.chain.join('') === b.chain.join('');
}

function listOf({ rootFingerprints }: Signer): string {
  return [...rootFingerprints].map((fingerprint) => fingerprint.slice(0, 16)).join(', ');
}

function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
