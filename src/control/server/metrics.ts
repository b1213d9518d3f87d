import { Counter, Gauge, Registry } from 'prom-client';
import type { Signer } from '../ca/signer.ts';
import type { ConnectionRefusal } from './connection-limits.ts';
import { type ControlMetric, type ControlMetricName, controlMetrics } from './metric-table.ts';

/** What the control plane counts. */
export class ControlMetrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('ca_server_csr_count');
  readonly #unauthenticated = this.#counter('ca_server_authentication_failure_count');
  readonly #unreadable = this.#counter('ca_server_csr_parsing_err_count');
  readonly #mismatches = this.#counter('ca_server_id_extraction_err_count');
  readonly #failures = this.#counter('ca_server_csr_sign_err_count');
  readonly #issued = this.#counter('ca_server_success_cert_issuance_count');
  readonly #limited = this.#counter('ca_server_rate_limited_count');
  readonly #refusedAuthorities = this.#counter('ca_server_authority_refused_count');
  readonly #refusedConnections = this.#counter('meshd_connections_refused_count');
  #signer: (() => Signer) | undefined;
  #ownNotAfterMs: (() => number | undefined) | undefined;

  constructor(version: string) {
    new Gauge(this.#options('mesh_build')).set({ component: 'meshd', tag: version }, 1);
    this.#expiry('ca_server_root_cert_expiry_timestamp', () => this.#signer?.().rootNotAfterMs);
    this.#expiry('ca_server_cert_chain_expiry_timestamp', () => this.#signer?.().notAfterMs);
    this.#expiry('meshd_server_cert_expiry_timestamp', () => this.#ownNotAfterMs?.());
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

  #counter(name: ControlMetricName<'counter'>): Counter {
    return new Counter(this.#options(name));
  }

  #options(name: keyof typeof controlMetrics) {
    const { help, labels = [] }: ControlMetric = controlMetrics[name];
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }

  #expiry(name: ControlMetricName<'gauge'>, endOf: () => number | undefined): void {
    const read = (gauge: Gauge): void => {
      const endMs = endOf();
      if (endMs !== undefined) gauge.set(endMs / 1000);
    };
    new Gauge({
      ...this.#options(name),
      collect() {
        read(this);
      },
    });
  }
}
