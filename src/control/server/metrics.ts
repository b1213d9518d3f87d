import { Counter, Gauge, Registry } from 'prom-client';
import type { Signer } from '../ca/signer.ts';
import type { ConnectionRefusal } from './connection-limits.ts';

/** What the control plane counts; the names of the CA's figures are Istio's without its prefix. */
export class ControlMetrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('ca_server_csr_count', 'Requests for certificates.');
  readonly #unauthenticated = this.#counter(
    'ca_server_authentication_failure_count',
    'Requests whose sender could not be told.',
  );
  readonly #unreadable = this.#counter(
    'ca_server_csr_parsing_err_count',
    'Signing requests that could not be read or were too weak.',
  );
  readonly #mismatches = this.#counter(
    'ca_server_id_extraction_err_count',
    'Signing requests for another identity than the caller has.',
  );
  readonly #failures = this.#counter('ca_server_csr_sign_err_count', 'Certificates that could not be signed.');
  readonly #issued = this.#counter('ca_server_success_cert_issuance_count', 'Certificates that were signed.');
  readonly #limited = this.#counter('ca_server_rate_limited_count', 'Requests of callers that asked too often.');
  readonly #refusedAuthorities = this.#counter(
    'ca_server_authority_refused_count',
    'Changes of the authority that were refused; what was in force stayed.',
  );
  readonly #refusedConnections = new Counter({
    name: 'meshd_connections_refused_count',
    help: 'Connections that were closed: too many of one address, in all, or no TLS handshake in time.',
    labelNames: ['reason'],
    registers: [this.#registry],
  });
  #signer: (() => Signer) | undefined;
  #ownNotAfterMs: (() => number | undefined) | undefined;

  constructor(version: string) {
    const build = new Gauge({
      name: 'mesh_build',
      help: 'Build of the program.',
      labelNames: ['component', 'tag'],
      registers: [this.#registry],
    });
    build.set({ component: 'meshd', tag: version }, 1);
    this.#expiry(
      'ca_server_root_cert_expiry_timestamp',
      'When the root ends, seconds of Unix time.',
      () => this.#signer?.().rootNotAfterMs,
    );
    this.#expiry(
      'ca_server_cert_chain_expiry_timestamp',
      'When the first certificate from the signing one to the root ends, seconds of Unix time.',
      () => this.#signer?.().notAfterMs,
    );
    this.#expiry(
      'meshd_server_cert_expiry_timestamp',
      'When the certificate of the TLS listener ends, seconds of Unix time.',
      () => this.#ownNotAfterMs?.(),
    );
  }

  /** The CA whose ends are shown. */
  watch(signer: () => Signer): void {
    this.#signer = signer;
  }

  /** The end of the listener's certificate, milliseconds of Unix time. */
  watchOwn(notAfterMs: () => number | undefined): void {
    this.#ownNotAfterMs = notAfterMs;
  }

  countRequest(): void {
    this.#requests.inc();
  }

  countAuthenticationFailure(): void {
    this.#unauthenticated.inc();
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

  countRefusedConnection(reason: ConnectionRefusal): void {
    this.#refusedConnections.inc({ reason });
  }

  /** In Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.#registry] });
  }

  #expiry(name: string, help: string, endOf: () => number | undefined): void {
    const read = (gauge: Gauge): void => {
      const endMs = endOf();
      if (endMs !== undefined) gauge.set(endMs / 1000);
    };
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        read(this);
      },
    });
  }
}
