import type { experimental } from '@grpc/grpc-js';
import type { ServerPair } from './server-pair.ts';

type IdentityListener = experimental.IdentityCertificateUpdateListener;
type RootsListener = experimental.CaCertificateUpdateListener;

/**
 * Provides the server's certificate and the roots for client certificates from memory. New connections use the newest ones;
 * open connections are not affected.
 */
export class CertificateSource implements experimental.CertificateProvider {
  readonly #identityListeners = new Set<IdentityListener>();
  readonly #rootsListeners = new Set<RootsListener>();
  #pair: ServerPair | undefined;
  #roots = '';

  /** Expiry of the certificate for new connections in Unix milliseconds; undefined before there is one. */
  get notAfterMs(): number | undefined {
    return this.#pair?.notAfterMs;
  }

  /** Tells of the pair with the roots, when both are there and whenever one changes, until the signal fires. */
  follow(use: (pair: ServerPair & { readonly roots: string }) => void, signal: AbortSignal): void {
    const tell = (): void => {
      if (this.#pair !== undefined && !signal.aborted) use({ ...this.#pair, roots: this.#roots });
    };
    this.addIdentityCertificateListener(tell);
    this.addCaCertificateListener(tell);
    signal.addEventListener('abort', () => {
      this.removeIdentityCertificateListener(tell);
      this.removeCaCertificateListener(tell);
    });
  }

  setPair(pair: ServerPair): void {
    this.#pair = pair;
    for (const listener of this.#identityListeners) this.#tellIdentity(listener);
  }

  setRoots(roots: string): void {
    this.#roots = roots;
    for (const listener of this.#rootsListeners) this.#tellRoots(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    // A turn later: the server takes no news before it has finished asking for them.
    queueMicrotask(() => this.#tellIdentity(listener));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  addCaCertificateListener(listener: RootsListener): void {
    this.#rootsListeners.add(listener);
    queueMicrotask(() => this.#tellRoots(listener));
  }

  removeCaCertificateListener(listener: RootsListener): void {
    this.#rootsListeners.delete(listener);
  }

  #tellIdentity(listener: IdentityListener): void {
    const pair = this.#pair;
    if (pair === undefined) return;
    listener({ certificate: Buffer.from(pair.certificateChain), privateKey: Buffer.from(pair.privateKey) });
  }

  #tellRoots(listener: RootsListener): void {
    listener({ caCertificate: Buffer.from(this.#roots) });
  }
}
