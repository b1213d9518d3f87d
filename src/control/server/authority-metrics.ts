import type { Counter } from 'prom-client';
import type { Signer } from '../ca/signer.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** What becomes of requests for certificates, and when the certificates of the CA end. */
export class AuthorityMetrics {
  readonly #requests: Counter;
  readonly #unauthenticated: Counter;
  readonly #unreadable: Counter;
  readonly #mismatches: Counter;
  readonly #failures: Counter;
  readonly #issued: Counter;
  readonly #limited: Counter;
  readonly #reviews: Counter;
  readonly #refusedAuthorities: Counter;

  #signer: (() => Signer) | undefined;

  constructor(registry: MetricRegistry) {
    this.#requests = registry.counter('ca_server_csr_count');
    this.#unauthenticated = registry.counter('ca_server_authentication_failure_count');
    this.#unreadable = registry.counter('ca_server_csr_parsing_err_count');
    this.#mismatches = registry.counter('ca_server_id_extraction_err_count');
    this.#failures = registry.counter('ca_server_csr_sign_err_count');
    this.#issued = registry.counter('ca_server_success_cert_issuance_count');
    this.#limited = registry.counter('ca_server_rate_limited_count');
    this.#reviews = registry.counter('meshd_token_reviews_count');
    this.#refusedAuthorities = registry.counter('ca_server_authority_refused_count');
    registry.expiry('ca_server_root_cert_expiry_timestamp', () => this.#signer?.().rootNotAfterMs);
    registry.expiry('ca_server_cert_chain_expiry_timestamp', () => this.#signer?.().notAfterMs);
  }

  /** The CA whose ends are shown. */
  watch(signer: () => Signer): void {
    this.#signer = signer;
  }

  countRequest(): void {
    this.#requests.inc();
  }

  countAuthenticationFailure(): void {
    this.#unauthenticated.inc();
  }

  /** The API server was asked about a token. */
  countReview(outcome: 'accepted' | 'refused' | 'failed'): void {
    this.#reviews.inc({ outcome });
  }

  countUnreadableRequest(): void {
    this.#unreadable.inc();
  }

  countIdentityMismatch(): void {
    this.#mismatches.inc();
  }

  countSigningFailure(): void {
    this.#failures.inc();
  }

  countIssued(): void {
    this.#issued.inc();
  }

  countRateLimited(): void {
    this.#limited.inc();
  }

  countRefusedAuthority(): void {
    this.#refusedAuthorities.inc();
  }
}
