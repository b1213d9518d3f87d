import { Counter, Registry } from 'prom-client';

/** What the agent counts of its own work, under the names of the specification's metrics. */
export class AgentMetrics {
  readonly #registry = new Registry();
  readonly #fetched = this.#counter(
    'pilot_jwks_resolver_network_fetch_success_total',
    'Key sets and discovery documents that were fetched.',
  );
  readonly #notFetched = this.#counter(
    'pilot_jwks_resolver_network_fetch_fail_total',
    'Key sets and discovery documents that could not be fetched.',
  );

  /** One download of a token issuer's key set, or of the document that tells where it is. */
  countKeySetFetch(isDone: boolean): void {
    (isDone ? this.#fetched : this.#notFetched).inc();
  }

  /** In Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.#registry] });
  }
}
