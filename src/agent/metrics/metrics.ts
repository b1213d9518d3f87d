import { RejectedObjects } from '../../diagnostics/rejected-objects.ts';
import type { DnsObserver } from '../../dns/observer.ts';
import type { OutgoingObserver } from '../../lib/outgoing-observer.ts';
import type { DiscoveryObserver } from '../../xds/observer.ts';
import type { ConfigurationObserver } from '../discovery/observer.ts';
import type { LifeObserver } from '../life/observer.ts';
import type { ReloadObserver } from '../reload/observer.ts';
import type { CertificateObserver } from '../secrets/certificate-observer.ts';
import type { ScrapeObserver } from '../status/observer.ts';
import { configurationMetrics } from './configuration-metrics.ts';
import { dnsMetrics } from './dns-metrics.ts';
import { certificateMetrics, discoveryMetrics, outgoingMetrics } from './identity-metrics.ts';
import { type MeshFigures, showFigures } from './mesh-figures.ts';
import { type Labels, Meters } from './meters.ts';
import type { CounterName, GaugeName } from './metric-table.ts';
import type { AgentObservers } from './observers.ts';
import { processMetrics } from './process-metrics.ts';
import { lifeMetrics, reloadMetrics, scrapeMetrics } from './run-metrics.ts';

/** What the agent counts of its own work: the metrics of the table, and the observers that move them. */
export class AgentMetrics implements AgentObservers {
  readonly #meters = new Meters();
  readonly #rejected = new RejectedObjects((labels) => this.#meters.count('pilot_total_rejected_configs', labels));
  readonly #readProcess = processMetrics(this.#meters);
  /** Hears of Envoy's streams for secrets. */
  readonly discovery: DiscoveryObserver = discoveryMetrics(this.#meters);
  readonly #fromControlPlane = configurationMetrics(this.#meters);
  /** Hears of the stream to the control plane. */
  readonly configuration: ConfigurationObserver = this.#fromControlPlane.observer;
  /** Hears of requests for certificates and tokens. */
  readonly outgoing: Required<OutgoingObserver> = outgoingMetrics(this.#meters);
  readonly certificates: Required<CertificateObserver> = certificateMetrics(this.#meters);
  readonly life: LifeObserver = lifeMetrics(this.#meters);
  readonly reload: ReloadObserver = reloadMetrics(this.#meters, this.#rejected);
  readonly scrape: ScrapeObserver = scrapeMetrics(this.#meters);
  readonly dns: DnsObserver = dnsMetrics(this.#meters);

  /** `version` is the program's own. */
  constructor(version = 'unknown') {
    this.#meters.set('mesh_build', 1, { component: 'agent', tag: version });
  }

  /** One download of a token issuer's key set, or of the document that tells where it is. */
  countKeySetFetch(isDone: boolean): void {
    const outcome = isDone ? 'success' : 'fail';
    this.#meters.count(`pilot_jwks_resolver_network_fetch_${outcome}_total`);
  }

  /** After each compilation that gave a configuration. */
  showFigures(figures: MeshFigures): void {
    showFigures(figures, this.#meters, this.#rejected);
  }

  /** Adds to a counter of the table. */
  count(name: CounterName, labels: Labels = {}, by = 1): void {
    this.#meters.count(name, labels, by);
  }

  /** Sets a gauge of the table. */
  set(name: GaugeName, value: number, labels: Labels = {}): void {
    this.#meters.set(name, value, labels);
  }

  /** In Prometheus' text format 0.0.4. */
  async text(): Promise<string> {
    this.#fromControlPlane.read();
    await this.#readProcess();
    return this.#meters.text();
  }
}
