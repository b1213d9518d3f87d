import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { Refusal } from '../../xds/message.ts';
import { emptyView } from '../../xds/resource-view.ts';
import type { Culprit } from '../../xds/suspects.ts';
import { isBehind, type Position, positionText } from '../registry/position.ts';
import type { ClientRecord } from './client-records.ts';
import { HeldBack, listOf } from './held-back.ts';
import { emptySnapshot, type MeshSnapshot, proxyKey, type ServedProxy, type ServedViews } from './mesh-snapshot.ts';
import {
  ProxyStream,
  type ResponseLabels,
  type StreamKeeper,
  type StreamOwner,
  type StreamParts,
} from './proxy-stream.ts';
import { type PushLimits, PushQueue } from './push-queue.ts';
import type { SnapshotOrigin, StreamWatcher } from './stream-watcher.ts';

export interface FleetOptions {
  readonly limits: PushLimits;
  /** So long a step of a change waits for the client's word about the steps before. */
  readonly stepTimeoutMs: number;
  /** Hears of a client that refuses whatever it is sent, once until it takes something. */
  readonly faulty?: (owner: StreamOwner, message: string) => void;
  /** They hear of each snapshot and of its way to the proxies. */
  readonly watchers?: readonly StreamWatcher[];
  /** Nonces begin with the version of the inputs that they are of. */
  readonly hasNamedNonces?: boolean;
}

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

const unknownOrigin: SnapshotOrigin = { version: '', times: { changedMs: 0, beganMs: 0, endedMs: 0 } };

/** The connected proxies, and the configuration that each of them is served. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #queue: PushQueue;
  readonly #streams = new Set<ProxyStream>();
  readonly #held = new HeldBack();
  readonly #waiting = new Set<() => void>();
  /** One for all streams: with callbacks of its own each stream would take a kilobyte more. */
  readonly #keeper: StreamKeeper = {
    sent: (stream, response) => this.#tell((watcher) => watcher.sent?.(stream, response)),
    answered: (stream, nonce, refusal) => this.#answered(stream, nonce, refusal),
    complete: (stream, typeUrl) => this.#tell((watcher) => watcher.complete?.(stream, typeUrl)),
    isolated: (stream, typeUrl, culprits) => this.#isolate(stream, typeUrl, culprits),
    settled: (stream) => {
      this.#tell((watcher) => watcher.settled?.(stream));
      this.#queue.done(stream);
    },
    closed: (stream) => {
      this.#tell((watcher) => watcher.closed?.(stream));
      this.#streams.delete(stream);
      this.#queue.forget(stream);
    },
  };
  #snapshot = emptySnapshot;
  #origin = unknownOrigin;
  #position: Position | undefined;
  #positionText: string | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#queue = new PushQueue(options.limits);
  }

  get snapshot(): MeshSnapshot {
    return this.#snapshot;
  }

  get streams(): ReadonlySet<ProxyStream> {
    return this.#streams;
  }

  get queue(): PushQueue {
    return this.#queue;
  }

  /** Serves a new snapshot; each stream gets what differs in its turn. */
  update(snapshot: MeshSnapshot, origin: SnapshotOrigin = unknownOrigin): void {
    const before = this.#snapshot;
    this.#snapshot = snapshot;
    this.#origin = origin;
    this.#position = origin.position;
    this.#positionText = origin.position && positionText(origin.position);
    this.#tell((watcher) => watcher.updated?.(snapshot, origin));
    for (const [key, { views, isUrgent }] of snapshot.proxies) {
      const old = before.proxies.get(key)?.views;
      if (isUrgent && old !== undefined) this.#held.exempt(old.listeners, views.listeners);
    }
    // Proxies of the same halves go from the same views to the same.
    const noted = new Map<ServedViews, ServedViews | undefined>();
    for (const [key, { views }] of snapshot.proxies) {
      const old = before.proxies.get(key)?.views;
      if (noted.has(views) && noted.get(views) === old) continue;
      noted.set(views, old);
      for (const list of lists) this.#held.note(list, old?.[list] ?? emptyView, views[list]);
    }
    this.#held.keep(noted.keys());
    for (const stream of this.#streams) {
      this.#ask(stream, snapshot.proxies.get(proxyKey(stream.owner.proxy))?.isUrgent === true);
    }
    for (const tell of [...this.#waiting]) tell();
  }

  find(proxy: Pick<ServedProxy, 'namespace' | 'name'>): ServedProxy | undefined {
    return this.#snapshot.proxies.get(proxyKey(proxy));
  }

  /** The proxy of an account that has the address; undefined: there is none; `several`: more than one has it. */
  findAt(
    address: string,
    { namespace, serviceAccount }: Pick<ServedProxy, 'namespace' | 'serviceAccount'>,
  ): ServedProxy | 'several' | undefined {
    const found = [...this.#snapshot.proxies.values()].filter(
      (it) => it.namespace === namespace && it.serviceAccount === serviceAccount && it.addresses.includes(address),
    );
    return found.length > 1 ? 'several' : found[0];
  }

  /** The inputs are read up to there, and what is served is of them. */
  readTo(position: Position): void {
    this.#position = position;
    for (const tell of [...this.#waiting]) tell();
  }

  /** Whether what is served is at least as new as what a text names (`positionText`), now or within `ms`. */
  async catchesUp(text: string, ms: number): Promise<boolean> {
    const isNew = (): boolean => this.#position === undefined || !isBehind(this.#position, text);
    return (await this.once(() => (isNew() ? true : undefined), ms)) === true;
  }

  /** What `find` gives, once it gives something; undefined when it does not within `ms`. */
  async once<T>(find: () => T | undefined, ms: number): Promise<T | undefined> {
    if (find() !== undefined || ms <= 0) return find();
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#waiting.delete(look);
        clearTimeout(timer);
        resolve(find());
      };
      const look = (): void => {
        if (find() !== undefined) settle();
      };
      const timer = setTimeout(settle, ms);
      this.#waiting.add(look);
    });
  }

  /** A stream of the proxy begins. */
  open(owner: StreamOwner, parts: StreamParts = {}): ProxyStream {
    const stream = new ProxyStream(owner, this.#keeper, this.#options.stepTimeoutMs, parts);
    this.#streams.add(stream);
    stream.take(this.#viewsOf(owner), false, this.#labels);
    this.#tell((watcher) => watcher.opened?.(stream));
    return stream;
  }

  /** How the client of a stream takes what it is sent, over its connections. */
  recordOf({ owner }: Pick<ProxyStream, 'owner'>): ClientRecord {
    return this.#held.recordOf(owner);
  }

  /** What the client of a stream is to have now, sent or not; undefined: its workload is gone from the mesh. */
  servedTo({ owner }: Pick<ProxyStream, 'owner'>): ServedViews | undefined {
    return this.#viewsOf(owner);
  }

  get #labels(): ResponseLabels {
    const { version } = this.#origin;
    const noncePrefix = this.#options.hasNamedNonces && version !== '' ? `${version.slice(0, 12)}-` : '';
    return { noncePrefix, position: this.#positionText };
  }

  #tell(tell: (watcher: StreamWatcher) => void): void {
    for (const watcher of this.#options.watchers ?? []) tell(watcher);
  }

  #answered(stream: ProxyStream, nonce: string, refusal: Refusal | undefined): void {
    const { owner } = stream;
    this.#tell((watcher) => watcher.answered?.(stream, { nonce, refusal: refusal?.message }));
    if (this.#held.answered(owner, refusal?.message)) this.#options.faulty?.(owner, refusal?.message ?? '');
  }

  /** A client refuses resources by themselves. */
  #isolate(stream: ProxyStream, typeUrl: string, culprits: readonly Culprit[]): void {
    const list = listOf(typeUrl);
    if (list === undefined) return;
    const { owner } = stream;
    const held = new Set(culprits.map((culprit) => this.#held.refuse({ list, culprit }, owner)));
    if (held.has('all')) for (const each of this.#streams) this.#ask(each, false);
    else if (held.has('client')) this.#ask(stream, false);
  }

  #viewsOf(owner: StreamOwner): ServedViews | undefined {
    const { proxy } = owner;
    const served = this.#snapshot.proxies.get(proxyKey(proxy));
    // Another account may not have what is now another one's.
    if (served === undefined || served.serviceAccount !== proxy.serviceAccount) return undefined;
    return this.#held.viewsFor(owner, served.views);
  }

  /** A proxy that is gone from the mesh keeps what it has: nothing empties it. */
  #ask(stream: ProxyStream, isUrgent: boolean): void {
    const views = this.#viewsOf(stream.owner);
    if (views === undefined) return;
    const bytes = stream.bytesTo(views);
    if (bytes === undefined) return;
    // What is newest when its turn comes is sent.
    const push = (): void => {
      this.#tell((watcher) => watcher.taken?.(stream));
      stream.take(this.#viewsOf(stream.owner) ?? views, isUrgent, this.#labels);
    };
    this.#tell((watcher) => watcher.queued?.(stream));
    this.#queue.ask(stream, { bytes, push }, isUrgent);
  }
}
