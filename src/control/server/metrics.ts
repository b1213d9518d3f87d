import { type MeshGauge, meshGauges } from '../../diagnostics/mesh-gauges.ts';
import { type RejectedObject, RejectedObjects } from '../../diagnostics/rejected-objects.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import type { RegistryFigures, RegistryRevision } from '../registry/registry.ts';
import { AuthorityMetrics } from './authority-metrics.ts';
import type { ConnectionRefusal } from './connection-limits.ts';
import { MetricRegistry } from './metric-registry.ts';
import type { ControlMetricName } from './metric-table.ts';

/** Figures of the distribution of configuration. */
export interface FleetFigures {
  readonly streams: number;
  readonly waiting: number;
}

/** Counters and gauges of the control plane. */
export class ControlMetrics {
  readonly #registry = new MetricRegistry();
  readonly authority = new AuthorityMetrics(this.#registry);
  readonly #refusedConnections = this.#registry.counter('meshd_connections_refused_count');
  readonly #dnsQueries = this.#registry.counter('meshd_dns_queries_count');
  readonly #pushes = this.#registry.counter('meshd_xds_pushes_count');
  readonly #rejects = this.#registry.counter('meshd_xds_rejects_count');
  readonly #compilations = this.#registry.counter('meshd_compilations_count');
  readonly #refusedInputs = this.#registry.counter('meshd_refused_inputs_count');
  readonly #missingDestinations = this.#registry.gauge('meshd_missing_destinations');
  readonly #restarts = this.#registry.counter('meshd_compile_restarts_count');
  readonly #statusWrites = this.#registry.counter('meshd_status_writes_count');
  readonly #injections = {
    arrived: this.#registry.counter('sidecar_injection_requests_total'),
    changed: this.#registry.counter('sidecar_injection_success_total'),
    allowed: this.#registry.counter('sidecar_injection_skip_total'),
    refused: this.#registry.counter('sidecar_injection_failure_total'),
  };
  readonly #validations = this.#registry.counter('meshd_validations_count');
  readonly #sentSpans = this.#registry.counter('meshd_trace_spans_sent_count');
  readonly #lostSpans = this.#registry.counter('meshd_trace_spans_lost_count');
  readonly #meshGauges = new Map(meshGauges.map(({ name }) => [name as string, this.#registry.gauge(name)]));
  readonly #rejectedConfigs = this.#registry.counter('pilot_total_rejected_configs');
  readonly #rejectedObjects = new RejectedObjects((labels) => this.#rejectedConfigs.inc(labels));
  readonly #keyFetches = {
    done: this.#registry.counter('pilot_jwks_resolver_network_fetch_success_total'),
    failed: this.#registry.counter('pilot_jwks_resolver_network_fetch_fail_total'),
  };
  readonly #responses = this.#registry.counter('total_pushes');
  readonly #unsent = this.#registry.counter('total_push_errors');
  readonly #refusedSecrets = this.#registry.counter('total_secret_update_failures');
  readonly #openStreams = this.#registry.gauge('total_active_connections');
  readonly #staleStreams = this.#registry.gauge('total_stale_connections');
  #fleet: (() => FleetFigures) | undefined;
  #figuresOf: () => readonly RegistryFigures[] = () => [];
  #leads: (() => boolean) | undefined;
  #names: (() => number | undefined) | undefined;
  #revisionOf: () => RegistryRevision | undefined = () => undefined;
  #pendingRoots: (() => number) | undefined;
  #ownNotAfterMs: (() => number | undefined) | undefined;

  constructor(version: string) {
    this.#registry.gauge('mesh_build').set({ component: 'meshd', tag: version }, 1);
    this.#registry.shown('meshd_xds_streams', () => this.#fleet?.().streams);
    this.#registry.shown('meshd_xds_pushes_waiting', () => this.#fleet?.().waiting);
    this.#registry.shown('meshd_leader', () => this.#leads && Number(this.#leads()));
    this.#registry.shown('meshd_dns_names', () => this.#names?.());
    this.#byKind('meshd_registry_objects', ({ objects }) => objects);
    this.#byKind('meshd_registry_held_objects', ({ held }) => held);
    this.#byKind('meshd_registry_synced', ({ hasSynced }) => Number(hasSynced));
    this.#byKind('meshd_registry_lag_seconds', ({ heardAt }) => heardAt && Math.max(0, Date.now() - heardAt) / 1_000);
    this.#registry.shown('meshd_revision_readable', () => {
      const revision = this.#revisionOf();
      return revision && Number(revision.problem === undefined);
    });
    this.#registry.currentSeries('meshd_revision_commit_timestamp', () => {
      const { commit, committedAtMs = 0 } = this.#revisionOf() ?? {};
      return commit === undefined ? [] : [{ labels: { commit }, value: committedAtMs / 1_000 }];
    });
    this.#registry.shown('meshd_root_namespaces_pending', () => this.#pendingRoots?.());
    this.#registry.expiry('meshd_server_cert_expiry_timestamp', () => this.#ownNotAfterMs?.());
  }

  /** The streams that are counted when somebody asks. */
  watchFleet(figures: () => FleetFigures): void {
    this.#fleet = figures;
  }

  /** The objects of a cluster that are counted when somebody asks. */
  watchRegistry(figures: () => readonly RegistryFigures[]): void {
    this.#figuresOf = figures;
  }

  /** Whether this replica leads, where one is elected. */
  watchLeader(leads: () => boolean): void {
    this.#leads = leads;
  }

  /** The revision that is shown when somebody asks. */
  watchRevision(revision: () => RegistryRevision | undefined): void {
    this.#revisionOf = revision;
  }

  /** What is heard of the thread that compiles. */
  readonly compilations = {
    counted: (
      gauges: Readonly<Record<MeshGauge, number>> | undefined,
      rejected: readonly RejectedObject[],
      missing: number | undefined,
    ): void => {
      if (missing !== undefined) this.#missingDestinations.set(missing);
      for (const [name, value] of Object.entries(gauges ?? {})) this.#meshGauges.get(name)?.set(value);
      this.#rejectedObjects.replace('compiler', rejected);
    },
    compiled: (): void => this.#compilations.inc(),
    refused: (): void => this.#refusedInputs.inc(),
    restarted: (): void => this.#restarts.inc(),
  };

  /** What became of spans. */
  readonly spans = {
    sent: (count: number): void => this.#sentSpans.inc(count),
    lost: (count: number): void => this.#lostSpans.inc(count),
  };

  /** A write of an object's status has ended. */
  countStatusWrite(isDone: boolean): void {
    this.#statusWrites.inc({ result: isDone ? 'done' : 'failed' });
  }

  /** An API server has asked about an object. */
  countAdmission(webhook: 'validate' | 'inject', outcome: 'allowed' | 'changed' | 'refused' | 'failed'): void {
    if (webhook === 'validate') {
      this.#validations.inc({ outcome });
      return;
    }
    this.#injections.arrived.inc();
    this.#injections[outcome === 'failed' ? 'refused' : outcome].inc();
  }

  /** A download of keys has ended. */
  countKeyFetch(isDone: boolean): void {
    this.#keyFetches[isDone ? 'done' : 'failed'].inc();
  }

  /** What is heard of the streams of proxies. */
  readonly streams = {
    opened: (): void => this.#openStreams.inc(),
    closed: (): void => this.#openStreams.dec(),
    pushFailed: (): void => this.#unsent.inc(),
    wentStale: (): void => this.#staleStreams.inc(),
    noLongerStale: (): void => this.#staleStreams.dec(),
  };

  /** A query of DNS was answered, or not. */
  countDnsQuery(transport: 'udp' | 'tcp' | 'tls', outcome: string): void {
    this.#dnsQueries.inc({ transport, outcome });
  }

  /** The names of DNS that are counted when somebody asks. */
  watchNames(names: () => number | undefined): void {
    this.#names = names;
  }

  countPush(typeUrl: string): void {
    this.#responses.inc();
    this.#pushes.inc({ type: typeUrl.slice(typeUrl.lastIndexOf('.') + 1) });
  }

  countReject(typeUrl: string): void {
    if (typeUrl === secretTypeUrl) this.#refusedSecrets.inc();
    this.#rejects.inc({ type: typeUrl.slice(typeUrl.lastIndexOf('.') + 1) });
  }

  /** Namespaces that have not got the roots, counted when somebody asks. */
  watchRoots(pending: () => number): void {
    this.#pendingRoots = pending;
  }

  /** The end of the listener's certificate, milliseconds of Unix time. */
  watchOwn(notAfterMs: () => number | undefined): void {
    this.#ownNotAfterMs = notAfterMs;
  }

  countRefusedConnection(reason: ConnectionRefusal): void {
    this.#refusedConnections.inc({ reason });
  }

  /** In Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.text();
  }

  #byKind(name: ControlMetricName<'gauge'>, figureOf: (figures: RegistryFigures) => number | undefined): void {
    this.#registry.series(name, () =>
      this.#figuresOf().map((figures) => ({
        labels: { kind: figures.kind, group: figures.group },
        value: figureOf(figures),
      })),
    );
  }
}
