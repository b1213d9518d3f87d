import type { ReadClock } from '../../lib/clock.ts';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import { listOf } from './held-back.ts';
import { emptySnapshot, type MeshSnapshot, type ProxyViews, proxyKey, type ServedProxy } from './mesh-snapshot.ts';
import { ObjectHistory } from './object-history.ts';
import type { SnapshotOrigin, StreamWatcher, WatchedStream } from './stream-watcher.ts';

/** What a client has of one type. */
interface Acknowledged {
  readonly view: ResourceView;
  /** Number of the newest snapshot of which it has all of the type; undefined: it has never had all of one. */
  readonly snapshot: number | undefined;
}

interface StreamState {
  /** What was sent last, unless it is of older policies. */
  taken: { readonly snapshot: number; readonly views: ProxyViews } | undefined;
  readonly acknowledged: Partial<Record<ConfigurationList, Acknowledged>>;
}

/** By type; undefined: the client has none, has never had it, or has one that is older than what is remembered. */
export type VersionsByList = Readonly<Record<ConfigurationList, string | undefined>>;

/** What one stream has of an object. */
export interface ObjectAtProxy {
  /** `<namespace>/<name>` */
  readonly proxy: string;
  /** The version of the object that was in force in what the proxy has acknowledged. */
  readonly acknowledged: VersionsByList;
}

/** What one stream has of a resource. */
export interface ResourceAtProxy {
  readonly proxy: string;
  /** Of the snapshot in force. */
  readonly served: string | undefined;
  readonly acknowledged: string | undefined;
}

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/**
 * Knows which proxies have acknowledged which version of each object and resource. A stream costs one view and one number a
 * type; an object costs one version, and those that it had in the last minute (or as long as is asked for).
 */
export class DistributionTracker implements StreamWatcher {
  readonly #history: ObjectHistory;
  readonly #streams = new Map<WatchedStream, StreamState>();
  #snapshot = emptySnapshot;
  /** Of the snapshot in force. */
  #number = 0;

  /** `retentionMs` is PILOT_DISTRIBUTION_HISTORY_RETENTION. */
  constructor(retentionMs: number, clock: ReadClock = () => performance.now()) {
    this.#history = new ObjectHistory(retentionMs, clock);
  }

  /** How many versions of objects are known. */
  get versions(): number {
    return this.#history.size;
  }

  /** Where an object is (`<kind>/<namespace>/<name>`); undefined: there is no such object. */
  ofObject(key: string): { readonly version: string; readonly proxies: readonly ObjectAtProxy[] } | undefined {
    const version = this.#history.inForce(key);
    if (version === undefined) return undefined;
    const proxies = [...this.#streams].map(([{ owner }, { acknowledged }]): ObjectAtProxy => {
      const versionOf = (list: ConfigurationList): string | undefined => {
        const snapshot = acknowledged[list]?.snapshot;
        return snapshot === undefined ? undefined : this.#history.versionAt(key, snapshot);
      };
      return { proxy: proxyKey(owner.proxy), acknowledged: byList(versionOf) };
    });
    return { version, proxies };
  }

  /** Where a resource is, at the proxies that have it or are to have it. */
  ofResource(list: ConfigurationList, name: string): readonly ResourceAtProxy[] {
    return [...this.#streams].flatMap(([{ owner }, { acknowledged }]): ResourceAtProxy[] => {
      const served = this.#servedTo(owner)?.views[list].get(name)?.version;
      const has = acknowledged[list]?.view.get(name)?.version;
      if (served === undefined && has === undefined) return [];
      return [{ proxy: proxyKey(owner.proxy), served, acknowledged: has }];
    });
  }

  updated(snapshot: MeshSnapshot, { objects }: SnapshotOrigin): void {
    this.#snapshot = snapshot;
    this.#number++;
    if (objects !== undefined) this.#history.take(this.#number, objects);
    // Who is sent nothing because nothing of its own differs has the new one.
    for (const [{ owner }, { acknowledged }] of this.#streams) {
      const views = this.#currentOf(owner);
      for (const list of views === undefined ? [] : lists) {
        const had = acknowledged[list];
        if (had !== undefined && had.view === views?.[list])
          acknowledged[list] = { view: had.view, snapshot: this.#number };
      }
    }
  }

  opened(stream: WatchedStream): void {
    this.#streams.set(stream, { taken: undefined, acknowledged: {} });
    this.taken(stream);
  }

  taken(stream: WatchedStream): void {
    const state = this.#streams.get(stream);
    const views = this.#currentOf(stream.owner);
    if (state !== undefined) state.taken = views && { snapshot: this.#number, views };
  }

  complete(stream: WatchedStream, typeUrl: string): void {
    const [state, list, view] = [this.#streams.get(stream), listOf(typeUrl), stream.sourceOf(typeUrl)?.view];
    if (state === undefined || list === undefined || view === undefined) return;
    state.acknowledged[list] = { view, snapshot: this.#newestWith(list, view, stream, state) };
  }

  closed(stream: WatchedStream): void {
    this.#streams.delete(stream);
  }

  /** A view in which something is held back is of no snapshot: as far as is known, the client has what it had before. */
  #newestWith(
    list: ConfigurationList,
    view: ResourceView,
    { owner }: WatchedStream,
    { taken, acknowledged }: StreamState,
  ): number | undefined {
    if (this.#currentOf(owner)?.[list] === view) return this.#number;
    if (taken?.views[list] === view) return taken.snapshot;
    return acknowledged[list]?.snapshot;
  }

  /** What the proxy is to have, where it is made of the objects in force. */
  #currentOf(owner: WatchedStream['owner']): ProxyViews | undefined {
    const served = this.#servedTo(owner);
    return served?.isFrozen ? undefined : served?.views;
  }

  #servedTo({ proxy }: WatchedStream['owner']): ServedProxy | undefined {
    const served = this.#snapshot.proxies.get(proxyKey(proxy));
    return served?.serviceAccount === proxy.serviceAccount ? served : undefined;
  }
}

function byList(versionOf: (list: ConfigurationList) => string | undefined): VersionsByList {
  return {
    clusters: versionOf('clusters'),
    endpoints: versionOf('endpoints'),
    listeners: versionOf('listeners'),
    routes: versionOf('routes'),
  };
}
