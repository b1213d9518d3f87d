import { join } from 'node:path';
import type { Zone } from '../../dns/zone.ts';
import type { EnvoyResource, ResourceFile } from '../../envoy/api/resource-file.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { aggregatedService } from '../../xds/aggregated-service.ts';
import type { DiscoveryNode } from '../../xds/message.ts';
import { StreamRefusal } from '../../xds/scope.ts';
import { startDiscoveryServer } from '../../xds/server.ts';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';
import { type CacheOwner, ConfigurationCache } from './cache.ts';
import { misfitOf } from './cache-misfit.ts';
import { HeldConfiguration } from './configuration.ts';
import type { DiscoveryConfig } from './discovery-config.ts';
import type { ListenerGuard } from './listener-guard.ts';
import type { ConfigurationObserver } from './observer.ts';
import { ReportedFaults } from './reported-faults.ts';
import { ResponseTurns } from './response-turns.ts';
import { rootDigests, shareRoot } from './roots.ts';
import { Upstream } from './upstream.ts';

export interface DiscoveryClientOptions {
  /** Folder of the socket and of the cache. */
  readonly configPath: string;
  readonly config: DiscoveryConfig;
  readonly log: Log;
  readonly observer?: ConfigurationObserver | undefined;
  /** Says which listeners Envoy may not be served; absent: it is served all. */
  readonly guard?: Pick<ListenerGuard, 'faultsOf'>;
  readonly clock?: Clock;
  readonly checkMs?: number;
}

/** Name of the socket in the configuration folder; the bootstrap's cluster `xds-grpc` leads to it. */
const socketName = 'XDS';
const cacheName = 'discovery-cache';
/** A change that follows at once is written with it. */
const writeDelayMs = 500;
/** How often the cache is told that it is still what holds. */
const confirmMs = 60_000;
/** UNAVAILABLE of gRPC's status codes. */
const unavailable = 14;

/**
 * Serves Envoy the configuration of the control plane. While that can't be reached, it serves the last one, from memory, and
 * after a restart from disk. Configuration that Envoy has accepted is written to disk.
 */
export class DiscoveryClient {
  readonly #options: DiscoveryClientOptions;
  readonly #clock: Clock;
  readonly #cache: ConfigurationCache;
  readonly #held: HeldConfiguration;
  readonly #turns: ResponseTurns;
  readonly #upstream: Upstream;
  readonly #end = new AbortController();
  #closeServer: () => Promise<void> = () => Promise.resolve();
  #owner: CacheOwner | undefined;
  #isSynced = false;
  /** There is a configuration, and so old it was at a reading of the monotonic clock. */
  #age: { readonly ms: number; readonly atMs: number } | undefined;
  #mustWrite = false;
  #writing = Promise.resolve();

  private constructor(options: DiscoveryClientOptions) {
    const { clock = systemClock, log, config, checkMs, configPath, observer, guard } = options;
    this.#options = options;
    this.#clock = clock;
    this.#cache = new ConfigurationCache(join(configPath, cacheName));
    this.#held = new HeldConfiguration({
      lacks: (list, names) => this.#upstream.want(list, names),
      drops: (list, names) => {
        this.#upstream.drop(list, names);
        if (list !== 'secrets') this.#held.forget(list, names);
      },
      refusesSecret: (reason) => log.error('Envoy refuses secrets of the control plane', { reason }),
      settled: () => this.#writeSoon(),
    });
    this.#turns = new ResponseTurns({ held: this.#held, guard, log, observer });
    const { address, nodeId: id, envoyVersion } = config;
    this.#upstream = new Upstream({
      ...{ address, log, clock, ...(checkMs !== undefined && { checkMs }) },
      node: async (): Promise<DiscoveryNode> => ({ id, envoyVersion: await envoyVersion() }),
      secrets: this.#held.secrets,
      faults: new ReportedFaults(log),
      names: config.wantsNames ? this.#held.names : undefined,
      view: (list) => this.#held.stores[list].view,
      take: (list, response, answer) => this.#turns.take(list, response, answer),
      synced: (isSynced) => this.#turns.run(() => this.#sync(isSynced)),
    });
  }

  /** Reads the cache, and serves; the control plane is asked once there is an identity. */
  static async start(options: DiscoveryClientOptions): Promise<DiscoveryClient> {
    const client = new DiscoveryClient(options);
    await client.#restore();
    await client.#serve();
    options.observer?.watchAge?.(() => (client.ageMs === undefined ? undefined : client.ageMs / 1000));
    return client;
  }

  /** Rejects when other processes use the ports of the first listeners. */
  get failed(): Promise<never> {
    return this.#turns.failed;
  }

  /** Time since the control plane last confirmed the served configuration; undefined without one. */
  get ageMs(): number | undefined {
    if (this.#age === undefined) return undefined;
    return this.#isSynced ? 0 : this.#age.ms + this.#clock.monotonicMs() - this.#age.atMs;
  }

  /** Why the proxy is not ready because of its configuration; undefined if it is ready. */
  get problem(): string | undefined {
    const { address, maxAgeMs } = this.#options.config;
    const { ageMs } = this;
    const why = this.#upstream.problem ?? 'it has not answered yet';
    if (ageMs === undefined) return `no configuration has come from the control plane at ${address}: ${why}`;
    if (ageMs <= maxAgeMs) return undefined;
    // Without the age, which a metric has: a reason that changes each second would be logged each second.
    return `the control plane has not confirmed the configuration for more than ${Math.round(maxAgeMs / 1000)} s: ${why}`;
  }

  /** Whether Envoy has accepted everything that it should have. */
  get isInForce(): boolean {
    return this.problem === undefined && this.#held.isSettled && !this.#held.isEmpty;
  }

  /** Names of the mesh; undefined: the control plane has sent none, or what it sent is too old. */
  get names(): Zone | undefined {
    return this.problem === undefined ? this.#held.names.zone : undefined;
  }

  listeners(): ResourceFile {
    return this.#held.listeners();
  }

  /** A listener that Envoy is served; undefined: there is none of this name. */
  listener(name: string): EnvoyResource | undefined {
    return this.#held.listener(name);
  }

  /** The identity in force: the control plane is asked with it, and a cache of another one is not used any more. */
  takeIdentity(snapshot: SecretSnapshot): void {
    const { nodeId } = this.#options.config;
    const { spiffeId, rootCertificates } = snapshot;
    const owner = { identity: spiffeId, workload: nodeId, roots: rootDigests(rootCertificates) };
    const before = this.#owner;
    this.#owner = owner;
    if (before !== undefined && (before.identity !== spiffeId || !shareRoot(before.roots, owner.roots))) {
      this.#options.log.error('the configuration is of another identity or mesh, and is not used', {
        identity: spiffeId,
        cached: before.identity,
      });
      this.#turns.clear();
      this.#upstream.restorePosition(undefined);
      this.#age = undefined;
      this.#upstream.restart();
      this.#writing = this.#writing.then(() => this.#cache.remove());
    } else if (before?.roots.join() !== owner.roots.join()) this.#writeSoon();
    this.#upstream.takeIdentity(snapshot);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#upstream.close();
    await this.#turns.close();
    await this.#closeServer();
    if (this.#mustWrite) await this.#write();
    await this.#writing;
  }

  async #restore(): Promise<void> {
    const { log, config } = this.#options;
    const answer = await this.#cache.read(this.#clock.wallMs());
    const problem = 'problem' in answer ? answer.problem : await misfitOf(answer, config);
    if (problem !== undefined) log.warn('the cached configuration is not used', { reason: problem });
    if ('problem' in answer || problem !== undefined) return;
    const { resources, names, owner, ageMs, position } = answer;
    await this.#options.guard?.faultsOf([], resources.listeners);
    this.#held.restore(resources);
    const reason = this.#held.names.restore(names);
    if (reason !== undefined) log.warn('the cached names of the mesh are not used', { reason });
    this.#upstream.restorePosition(position);
    this.#owner = owner;
    this.#age = { ms: ageMs, atMs: this.#clock.monotonicMs() };
    const seconds = Math.round(ageMs / 1000);
    log.info('the cached configuration is served until the control plane answers', { seconds, of: config.address });
  }

  async #serve(): Promise<void> {
    const { configPath, log } = this.#options;
    const service = aggregatedService(() => {
      const { problem } = this;
      // An Envoy that starts waits: what is too old, it gets no more.
      if (problem !== undefined && this.#age !== undefined) throw new StreamRefusal(unavailable, problem);
      return this.#held.scope();
    });
    const observer = { failed: (error: Error) => log.warn(error.message) };
    const server = await startDiscoveryServer(join(configPath, socketName), [service], observer).catch((cause) => {
      throw new AgentError('sds-bind-failed', 'cannot serve configuration to Envoy', { cause });
    });
    const confirming = setInterval(() => this.#isSynced && this.#confirm(), confirmMs);
    this.#closeServer = () => {
      clearInterval(confirming);
      return server.close();
    };
  }

  #sync(isSynced: boolean): void {
    if (!isSynced && !this.#isSynced) return;
    this.#age = { ms: 0, atMs: this.#clock.monotonicMs() };
    if (isSynced && !this.#isSynced) this.#options.log.info('the control plane is connected, and all is in step');
    this.#isSynced = isSynced;
    this.#options.observer?.connected?.(isSynced);
    this.#confirm();
  }

  /** On disk too the age counts from the last word of the control plane. */
  #confirm(): void {
    const nowMs = this.#clock.wallMs();
    this.#writing = this.#writing
      .then(() => this.#cache.confirm(nowMs))
      .catch((error: Error) =>
        this.#options.log.warn('the cache of the configuration cannot be kept', { reason: error.message }),
      );
  }

  #writeSoon(): void {
    if (this.#mustWrite) return;
    this.#mustWrite = true;
    void this.#clock.sleep(writeDelayMs, this.#end.signal).then(() => {
      if (this.#mustWrite && !this.#end.signal.aborted) void this.#write();
    });
  }

  #write(): Promise<void> {
    this.#mustWrite = false;
    const owner = this.#owner;
    const { ageMs } = this;
    if (owner === undefined || ageMs === undefined) return this.#writing;
    const { log } = this.#options;
    const good = () => ({ ...this.#held.good(), names: this.#held.names.all });
    this.#writing = this.#writing
      .then(() => this.#cache.write(owner, good(), this.#clock.wallMs() - ageMs, this.#upstream.position))
      .catch((error: Error) => log.warn('the configuration cannot be cached', { reason: error.message }));
    return this.#writing;
  }
}
