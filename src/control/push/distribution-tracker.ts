import type { ReadClock } from '../../lib/clock.ts';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import type { SentNote } from '../../xds/scope.ts';
import { listOf } from './held-back.ts';
import { emptySnapshot, type MeshSnapshot, type ProxyViews, proxyKey, type ServedProxy } from './mesh-snapshot.ts';
import { ObjectHistory } from './object-history.ts';
import type { SnapshotOrigin, StreamWatcher, WatchedStream } from './stream-watcher.ts';

/** What a client has of one type. */
interface TypeState {
  /** It has been sent something: it asks for the type. */
  isSent: boolean;
  /** What it has acknowledged; undefined: nothing. */
  view: ResourceView | undefined;
  /** Number of the newest snapshot of which it has all of the type; undefined: it has never had all of one. */
  snapshot: number | undefined;
}

interface StreamState {
  /** What was sent last, unless it is of older policies. */
  taken: { readonly snapshot: number; readonly views: ProxyViews } | undefined;
  readonly types: Partial<Record<ConfigurationList, TypeState>>;
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

/** Streams that have the same inputs. */
export interface InputsReached {
  /** Of the snapshot that was made of them; 0: none. */
  readonly number: number;
  /** Their digest; empty: nobody knows it any more. */
  readonly inputs: string;
  readonly streams: number;
}

const mostInputs = 1_000;

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/**
 * Records which proxies have acknowledged which version of each object and resource. A stream costs one view and one number
 * for each type; an object costs its current version, and those that were replaced within the retention time.
 */
export class DistributionTracker implements StreamWatcher {
  readonly #history: ObjectHistory;
  readonly #streams = new Map<WatchedStream, StreamState>();
  #snapshot = emptySnapshot;
  /** Of the snapshot in force. */
  #number = 0;
  /** Digests of what snapshots were made of, by their numbers, and the other way round. */
  readonly #inputs = new Map<number, string>();
  readonly #numbers = new Map<string, number>();

  /** `retentionMs` is PILOT_DISTRIBUTION_HISTORY_RETENTION. */
  constructor(retentionMs: number, clock: ReadClock = () => performance.now()) {
    this.#history = new ObjectHistory(retentionMs, clock);
  }

  /** Number of object versions that are remembered. */
  get versions(): number {
    return this.#history.size;
  }

  /** Where an object is (`<kind>/<namespace>/<name>`); undefined: there is no such object. */
  ofObject(key: string): { readonly version: string; readonly proxies: readonly ObjectAtProxy[] } | undefined {
    const version = this.#history.inForce(key);
    if (version === undefined) return undefined;
    const proxies = [...this.#streams].map(([{ owner }, { types }]): ObjectAtProxy => {
      const versionOf = (list: ConfigurationList): string | undefined => {
        const snapshot = types[list]?.snapshot;
        return snapshot === undefined ? undefined : this.#history.versionAt(key, snapshot);
      };
      return { proxy: proxyKey(owner.proxy), acknowledged: byList(versionOf) };
    });
    return { version, proxies };
  }

  /** How many streams have at most which inputs, the oldest ones first. A stream that has nothing yet counts for none. */
  progress(): readonly InputsReached[] {
    const counts = new Map<number, number>([[this.#number, 0]]);
    for (const state of this.#streams.values()) {
      const number = reachedBy(state);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    this.#forgetInputs(counts);
    return [...counts]
      .sort(([a], [b]) => a - b)
      .map(([number, streams]) => ({ number, inputs: this.#inputs.get(number) ?? '', streams }));
  }

  /** Number of the last snapshot that was made of these inputs; undefined: there was none, or it is too long ago. */
  numberOf(inputs: string): number | undefined {
    return this.#numbers.get(inputs);
  }

  /** Number of the first snapshot since which an object has the version that is in force; undefined: there is no such object. */
  inForceSince(key: string): number | undefined {
    return this.#history.inForceSince(key);
  }

  /** Where a resource is, at the proxies that have it or are to have it. */
  ofResource(list: ConfigurationList, name: string): readonly ResourceAtProxy[] {
    return [...this.#streams].flatMap(([{ owner }, { types }]): ResourceAtProxy[] => {
      const served = this.#servedTo(owner)?.views[list].get(name)?.version;
      const has = types[list]?.view?.get(name)?.version;
      if (served === undefined && has === undefined) return [];
      return [{ proxy: proxyKey(owner.proxy), served, acknowledged: has }];
    });
  }

  updated(snapshot: MeshSnapshot, { objects, version }: SnapshotOrigin): void {
    this.#snapshot = snapshot;
    this.#number++;
    this.#inputs.set(this.#number, version);
    this.#numbers.set(version, this.#number);
    if (objects !== undefined) this.#history.take(this.#number, objects);
    // Who is sent nothing because nothing of its own differs has the new one.
    for (const [{ owner }, { types }] of this.#streams) {
      const views = this.#currentOf(owner);
      for (const list of views === undefined ? [] : lists) {
        const had = types[list];
        if (had?.view !== undefined && had.view === views?.[list]) had.snapshot = this.#number;
      }
    }
  }

  opened(stream: WatchedStream): void {
    this.#streams.set(stream, { taken: undefined, types: {} });
    this.taken(stream);
  }

  taken(stream: WatchedStream): void {
    const state = this.#streams.get(stream);
    const views = this.#currentOf(stream.owner);
    if (state !== undefined) state.taken = views && { snapshot: this.#number, views };
  }

  sent(stream: WatchedStream, { typeUrl }: SentNote): void {
    const [state, list] = [this.#streams.get(stream), listOf(typeUrl)];
    if (state !== undefined && list !== undefined) typeOf(state, list).isSent = true;
  }

  complete(stream: WatchedStream, typeUrl: string): void {
    const [state, list, view] = [this.#streams.get(stream), listOf(typeUrl), stream.sourceOf(typeUrl)?.view];
    if (state === undefined || list === undefined || view === undefined) return;
    const type = typeOf(state, list);
    type.snapshot = this.#newestWith(list, view, stream, state);
    type.view = view;
  }

  closed(stream: WatchedStream): void {
    this.#streams.delete(stream);
  }

  /** Of snapshots that no stream has any more a few are known, for other replicas may be at them. */
  #forgetInputs(used: ReadonlyMap<number, number>): void {
    for (const [number, inputs] of this.#inputs) {
      if (this.#inputs.size <= mostInputs) return;
      if (used.has(number)) continue;
      this.#inputs.delete(number);
      if (this.#numbers.get(inputs) === number) this.#numbers.delete(inputs);
    }
  }

  /** A view in which something is held back is of no snapshot: as far as is known, the client has what it had before. */
  #newestWith(
    list: ConfigurationList,
    view: ResourceView,
    { owner }: WatchedStream,
    { taken, types }: StreamState,
  ): number | undefined {
    if (this.#currentOf(owner)?.[list] === view) return this.#number;
    if (taken?.views[list] === view) return taken.snapshot;
    return types[list]?.snapshot;
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

/** The oldest snapshot among what the stream has of the types that it was sent. */
function reachedBy({ types }: StreamState): number {
  const sent = Object.values(types).filter(({ isSent }) => isSent);
  return sent.length === 0 ? 0 : Math.min(...sent.map(({ snapshot = 0 }) => snapshot));
}

function typeOf({ types }: StreamState, list: ConfigurationList): TypeState {
  types[list] ??= { isSent: false, view: undefined, snapshot: undefined };
  return types[list];
}

function byList(versionOf: (list: ConfigurationList) => string | undefined): VersionsByList {
  return {
    clusters: versionOf('clusters'),
    endpoints: versionOf('endpoints'),
    listeners: versionOf('listeners'),
    routes: versionOf('routes'),
  };
}
