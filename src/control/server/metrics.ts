import { Counter, Gauge, Registry } from 'prom-client';
import { type MeshGauge, meshGauges } from '../../diagnostics/mesh-gauges.ts';
import { type RejectedObject, RejectedObjects } from '../../diagnostics/rejected-objects.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import type { Signer } from '../ca/signer.ts';
import type { RegistryFigures, RegistryRevision } from '../registry/registry.ts';
import type { ConnectionRefusal } from './connection-limits.ts';
import { type ControlMetric, type ControlMetricName, controlMetrics } from './metric-table.ts';

/** How busy the distribution of configuration is. */
export interface FleetFigures {
  readonly streams: number;
  readonly waiting: number;
}

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
  readonly #reviews = this.#counter('meshd_token_reviews_count');
  readonly #refusedAuthorities = this.#counter('ca_server_authority_refused_count');
  readonly #refusedConnections = this.#counter('meshd_connections_refused_count');
  readonly #pushes = this.#counter('meshd_xds_pushes_count');
  readonly #rejects = this.#counter('meshd_xds_rejects_count');
  readonly #compilations = this.#counter('meshd_compilations_count');
  readonly #refusedInputs = this.#counter('meshd_refused_inputs_count');
  readonly #restarts = this.#counter('meshd_compile_restarts_count');
  readonly #statusWrites = this.#counter('meshd_status_writes_count');
  readonly #sentSpans = this.#counter('meshd_trace_spans_sent_count');
  readonly #lostSpans = this.#counter('meshd_trace_spans_lost_count');
  readonly #meshGauges = new Map(meshGauges.map(({ name }) => [name as string, new Gauge(this.#options(name))]));
  readonly #rejectedConfigs = this.#counter('pilot_total_rejected_configs');
  readonly #rejectedObjects = new RejectedObjects((labels) => this.#rejectedConfigs.inc(labels));
  readonly #keyFetches = {
    done: this.#counter('pilot_jwks_resolver_network_fetch_success_total'),
    failed: this.#counter('pilot_jwks_resolver_network_fetch_fail_total'),
  };
  readonly #responses = this.#counter('total_pushes');
  readonly #unsent = this.#counter('total_push_errors');
  readonly #refusedSecrets = this.#counter('total_secret_update_failures');
  readonly #openStreams = new Gauge(this.#options('total_active_connections'));
  readonly #staleStreams = new Gauge(this.#options('total_stale_connections'));
  #fleet: (() => FleetFigures) | undefined;
  #figuresOf: () => readonly RegistryFigures[] = () => [];
  #leads: (() => boolean) | undefined;
  #revisionOf: () => RegistryRevision | undefined = () => undefined;
  #pendingRoots: (() => number) | undefined;
  #signer: (() => Signer) | undefined;
  #ownNotAfterMs: (() => number | undefined) | undefined;

  constructor(version: string) {
    new Gauge(this.#options('mesh_build')).set({ component: 'meshd', tag: version }, 1);
    this.#shown('meshd_xds_streams', () => this.#fleet?.().streams);
    this.#shown('meshd_xds_pushes_waiting', () => this.#fleet?.().waiting);
    this.#shown('meshd_leader', () => this.#leads && Number(this.#leads()));
    this.#byKind('meshd_registry_objects', ({ objects }) => objects);
    this.#byKind('meshd_registry_held_objects', ({ held }) => held);
    this.#byKind('meshd_registry_synced', ({ hasSynced }) => Number(hasSynced));
    this.#byKind('meshd_registry_lag_seconds', ({ heardAt }) => heardAt && Math.max(0, Date.now() - heardAt) / 1_000);
    this.#shown('meshd_revision_readable', () => {
      const revision = this.#revisionOf();
      return revision && Number(revision.problem === undefined);
    });
    this.#commitTime('meshd_revision_commit_timestamp');
    this.#shown('meshd_root_namespaces_pending', () => this.#pendingRoots?.());
    this.#expiry('ca_server_root_cert_expiry_timestamp', () => this.#signer?.().rootNotAfterMs);
    this.#expiry('ca_server_cert_chain_expiry_timestamp', () => this.#signer?.().notAfterMs);
    this.#expiry('meshd_server_cert_expiry_timestamp', () => this.#ownNotAfterMs?.());
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
    counted: (gauges: Readonly<Record<MeshGauge, number>> | undefined, rejected: readonly RejectedObject[]): void => {
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
    this.#shown(name, () => {
      const endMs = endOf();
      return endMs === undefined ? undefined : endMs / 1000;
    });
  }

  #byKind(name: ControlMetricName<'gauge'>, figureOf: (figures: RegistryFigures) => number | undefined): void {
    const rows = (): readonly RegistryFigures[] => this.#figuresOf();
    new Gauge({
      ...this.#options(name),
      collect() {
        for (const row of rows()) {
          const value = figureOf(row);
          if (value !== undefined) this.set({ kind: row.kind, group: row.group }, value);
        }
      },
    });
  }

  /** One series, of the commit of now. */
  #commitTime(name: ControlMetricName<'gauge'>): void {
    const revision = (): RegistryRevision | undefined => this.#revisionOf();
    new Gauge({
      ...this.#options(name),
      collect() {
        const { commit, committedAtMs } = revision() ?? {};
        this.reset();
        if (commit !== undefined) this.set({ commit }, (committedAtMs ?? 0) / 1_000);
      },
    });
  }

  #shown(name: ControlMetricName<'gauge'>, figure: () => number | undefined): void {
    const read = (gauge: Gauge): void => {
      const value = figure();
      if (value !== undefined) gauge.set(value);
    };
    new Gauge({
      ...this.#options(name),
      collect() {
        read(this);
      },
    });
  }
}
