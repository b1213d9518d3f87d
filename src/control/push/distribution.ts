import { createKeySetResolver } from '../../jwks/resolve.ts';
import type { ReadClock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { FetchedKeySets, type FetchOptions } from '../../live/key-sets/remote.ts';
import { recycleStale } from '../../xds/recycle.ts';
import type { Session } from '../../xds/session.ts';
import type { DistributionConfig } from '../control-config.ts';
import { AcknowledgedConfiguration } from '../debug/acknowledged.ts';
import { ConnectedProxies } from '../debug/connected.ts';
import { PublishedKeys } from '../keys/published-keys.ts';
import { SharedKeySets } from '../keys/shared-key-sets.ts';
import type { Replica } from '../leader/join-replicas.ts';
import { ServedNames } from '../names/served-names.ts';
import type { ControlMetrics } from '../server/metrics.ts';
import { StatusBook } from '../status/status-book.ts';
import { OtlpExporter } from '../trace/otlp-exporter.ts';
import { Admission } from './admission.ts';
import type { CompileObserver } from './compile-observer.ts';
import { CompileSupervisor } from './compile-supervisor.ts';
import { DistributionTracker } from './distribution-tracker.ts';
import { Fleet } from './fleet.ts';
import { emptySnapshot, proxyKey } from './mesh-snapshot.ts';
import { PushTracer } from './push-tracer.ts';
import { type StreamService, streamService } from './stream-service.ts';

export interface DistributionParts {
  readonly trustDomain: string;
  readonly log: PlainLog;
  readonly clock: ReadClock;
  readonly metrics: ControlMetrics;
  /** Absent: there is one alone. */
  readonly replica?: Replica | undefined;
}

/** Compiled configuration, served. */
export interface Distribution extends StreamService {
  readonly fleet: Fleet;
  /** Undefined: PILOT_ENABLE_CONFIG_DISTRIBUTION_TRACKING is false. */
  readonly tracker: DistributionTracker | undefined;
  readonly connected: ConnectedProxies;
  /** Undefined: DNS is not served. */
  readonly names: ServedNames | undefined;
  /** What is known of objects whose status is written. */
  readonly book: StatusBook;
  /** Undefined: PILOT_DEBUG_ADSZ_CONFIG is false. */
  readonly acknowledged: AcknowledgedConfiguration | undefined;
  readonly supervisor: Pick<
    CompileSupervisor,
    'why' | 'lint' | 'forget' | 'registry' | 'revision' | 'refusedInputs' | 'missing'
  >;
  /** Hosts that key sets may come from though their addresses are private, from now on. */
  allowKeyHosts(hosts: readonly string[]): void;
  /** Why nobody could get a configuration now; undefined: they can. */
  notReady(): string | undefined;
  /** Proxies come back, to another replica where there is one. */
  endStreams(): void;
  close(): Promise<void>;
}

const mebibyte = 1_048_576;
/** Of the pushes that are on their way together: the transport copies each. */
const bytesInFlight = 64 * mebibyte;
/** Envoy withholds its word while clusters warm. */
const stepTimeoutMs = 5_000;
/** A client that says nothing for so long comes back, or is none. */
const usualStaleMs = 300_000;

/** UNAVAILABLE of gRPC's status codes. */
const unavailable = 14;

/** Starts compiling the inputs, and holds what proxies are served. */
export function startDistribution(config: DistributionConfig, parts: DistributionParts): Distribution {
  const { trustDomain, log, clock, metrics } = parts;
  const tracker = config.trackedMs === undefined ? undefined : new DistributionTracker(config.trackedMs);
  const exporter = config.traces && new OtlpExporter({ settings: config.traces, log, ...metrics.spans });
  // Ids and times of each push to each proxy, which nobody reads otherwise.
  const isTraced = exporter !== undefined || log.saysDebug !== false;
  const tracer = isTraced ? new PushTracer({ log, sink: exporter && ((span) => exporter.add(span)) }) : undefined;
  const connected = new ConnectedProxies();
  const acknowledged = config.keepsAcknowledged ? new AcknowledgedConfiguration() : undefined;
  const fleet = new Fleet({
    limits: { count: config.throttle, bytes: bytesInFlight },
    stepTimeoutMs,
    watchers: [tracer, connected, acknowledged, tracker].filter((watcher) => watcher !== undefined),
    hasNamedNonces: tracker !== undefined,
    faulty: ({ proxy, envoyVersion }, message) => {
      const whose = { proxy: proxyKey(proxy), envoyVersion, message };
      log.error('a proxy refuses whatever it is sent', whose);
    },
  });
  metrics.watchFleet(() => ({ streams: fleet.streams.size, waiting: fleet.queue.waiting }));
  const { program, heapMiB } = config;
  const data = { ...config.compile, tracksObjects: tracker !== undefined };
  const book = new StatusBook();
  const observer: CompileObserver = {
    ...metrics.compilations,
    reported: (changed, removed) => book.take(changed, removed),
    restarted: () => {
      metrics.compilations.restarted();
      book.clear();
    },
  };
  const fetched = fetchedKeySets(config, { log, onFetch: (isDone) => metrics.countKeyFetch(isDone) });
  const keySets = parts.replica === undefined ? fetched : sharedKeySets(fetched, parts.replica, log);
  const names = data.tellsNames ? new ServedNames() : undefined;
  const supervisor = new CompileSupervisor({ data, fleet, log, keySets, observer, names, program, heapMiB });
  metrics.watchRegistry(() => supervisor.registry);
  metrics.watchRevision(() => supervisor.revision);
  const admission = new Admission(fleet, { trustDomain, takesAnyAddress: config.takesAnyAddress });
  const sessions = new Set<Session>();
  const recycling = recycleStale(sessions, config.staleMs ?? usualStaleMs);
  return {
    fleet,
    ...{ tracker, connected, names, acknowledged, supervisor, book },
    allowKeyHosts: (hosts) => fetched.allow(hosts),
    notReady: () => (fleet.snapshot === emptySnapshot ? notCompiled(supervisor) : undefined),
    ...streamService({ admission, trustDomain, log, clock, metrics, sessions }),
    endStreams: () => {
      for (const session of sessions) session.end(unavailable, 'the control plane stops');
    },
    close: async () => {
      recycling.close();
      keySets.close();
      await supervisor.close();
      await exporter?.close();
    },
  };
}

function sharedKeySets(own: FetchedKeySets, { api, namespace, leadership }: Replica, log: PlainLog): SharedKeySets {
  return new SharedKeySets({ own, published: new PublishedKeys(api, namespace), leadership, log });
}

/** A compilation at the start waits for keys, so that proxies that come back keep theirs; a later one for hardly any. */
const keyWaits = { waitMs: 5_000, laterWaitMs: 100 };

function fetchedKeySets(
  { jwksAllowedHosts, keyRefreshMs }: DistributionConfig,
  told: Pick<FetchOptions, 'log' | 'onFetch'>,
): FetchedKeySets {
  const timings = keyRefreshMs === undefined ? {} : { refreshMs: keyRefreshMs };
  const createResolver: typeof createKeySetResolver = (options) => createKeySetResolver({ ...options, timings });
  return new FetchedKeySets({ allowedHosts: jwksAllowedHosts, ...told, createResolver, ...keyWaits });
}

function notCompiled({ registry, revision }: Pick<CompileSupervisor, 'registry' | 'revision'>): string {
  const none = 'no configuration is compiled yet';
  if (revision?.problem !== undefined)
    return `${none}; the revision "${revision.name}" cannot be read: ${revision.problem}`;
  const unknown = registry.filter(({ hasSynced }) => !hasSynced);
  const names = unknown.map(({ kind, group, problem }) => {
    return `${kind}${group && `.${group}`}${problem === undefined ? '' : ` (${problem})`}`;
  });
  const detail = names.length === 0 ? '' : `; these objects are not known yet: ${names.join(', ')}`;
  return `${none}${detail}`;
}
