import { Counter, Gauge, Registry } from 'prom-client';
import type { Signer } from '../ca/signer.ts';

/** What the control plane counts; the names of the authority's figures are the original's without its prefix. */
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
  #signer: (() => Signer) | undefined;

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
      (signer) => signer.rootNotAfterMs,
    );
    this.#expiry(
      'ca_server_cert_chain_expiry_timestamp',
      'When the first certificate from the signing one to the root ends, seconds of Unix time.',
      (signer) => signer.notAfterMs,
    );
  }

  /** The authority whose ends are shown. */
  watch(signer: () => Signer): void {
    this.#signer = signer;
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

  /** In Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.#registry] });
  }

  #expiry(name: string, help: string, endOf: (signer: Signer) => number): void {
    const read = (gauge: Gauge): void => {
      if (this.#signer !== undefined) gauge.set(endOf(this.#signer()) / 1000);
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
