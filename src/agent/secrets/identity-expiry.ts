import { X509Certificate } from 'node:crypto';
import { splitCertificates } from '../../certificates/roots.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';
import type { CertificateObserver } from './certificate-observer.ts';

export interface IdentityExpiryOptions {
  readonly log: Log;
  readonly observer: CertificateObserver | undefined;
  readonly clock?: Clock | undefined;
}

/** Clocks jump: the end is looked for at least this often. */
const longestSleepMs = 10_000;

/**
 * Follows the identity in service to its end, wherever it comes from: Envoy goes on showing a certificate that has
 * expired, and nobody but its peers notices. The end is reported once for each identity, as an error.
 */
export class IdentityExpiry {
  readonly #options: IdentityExpiryOptions;
  readonly #clock: Clock;
  /** Ends the watch of the identity before. */
  #watching = new AbortController();
  #end: IdentityEnd | undefined;

  constructor(options: IdentityExpiryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Why the identity in service is of no use any more; undefined while it is, or while there is none. */
  get problem(): string | undefined {
    const end = this.#end;
    if (end === undefined || this.#clock.wallMs() <= end.atMs) return undefined;
    return `${end.what} expired at ${new Date(end.atMs).toISOString()}`;
  }

  /** Follows this identity from now on. */
  take(snapshot: SecretSnapshot): void {
    this.#watching.abort();
    this.#watching = new AbortController();
    this.#end = endOf(snapshot);
    this.#options.observer?.expired?.(false);
    void this.#watch(this.#end, this.#watching.signal);
  }

  close(): void {
    this.#watching.abort();
  }

  async #watch({ atMs }: IdentityEnd, signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = atMs - this.#clock.wallMs();
      if (leftMs < 0) break;
      await this.#clock.sleep(Math.min(leftMs + 1, longestSleepMs), signal);
      if (signal.aborted) return;
    }
    this.#options.observer?.expired?.(true);
    this.#options.log.error(
      `${this.problem ?? 'the identity has expired'}: peers refuse mutual TLS with this workload`,
    );
  }
}

interface IdentityEnd {
  readonly what: string;
  readonly atMs: number;
}

/** The chain's end, or that of the last root, which no peer's certificate outlives. */
function endOf({ notAfterMs, rootCertificates }: SecretSnapshot): IdentityEnd {
  const roots = splitCertificates(rootCertificates).map((pem) => Date.parse(new X509Certificate(pem).validTo));
  const lastRootMs = Math.max(...roots);
  return lastRootMs < notAfterMs
    ? { what: "the last of the mesh's root certificates", atMs: lastRootMs }
    : { what: "the workload's certificate", atMs: notAfterMs };
}
