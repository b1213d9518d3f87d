import { type ConfigurationList, configurationSteps, configurationTypes } from '../../xds/aggregated-service.ts';
import type { Refusal } from '../../xds/message.ts';
import { nameStep, nameType } from '../../xds/name-resources.ts';
import { faultStep, faultType } from '../../xds/proxy-faults.ts';
import type { DiscoveryType } from '../../xds/resource.ts';
import type { ViewSource } from '../../xds/resource-store.ts';
import { emptyView, type ResourceView } from '../../xds/resource-view.ts';
import type { SentNote, StreamScope } from '../../xds/scope.ts';
import { mostSecretNames, secretStep, secretType, secretTypeUrl } from '../../xds/secret-service.ts';
import type { Culprit } from '../../xds/suspects.ts';
import { listOf } from './held-back.ts';
import type { ServedProxy, ServedViews } from './mesh-snapshot.ts';
import type { Start } from './starts.ts';
import type { StreamBounds } from './stream-limits.ts';

/** The proxy and identity of a stream. */
export interface StreamOwner {
  readonly proxy: Pick<ServedProxy, 'namespace' | 'name' | 'serviceAccount'>;
  readonly identity: string;
  readonly envoyVersion: string;
}

/** What responses say of the state that they are made from. */
export interface ResponseLabels {
  /** The beginning of the nonces of these responses. */
  readonly noncePrefix: string;
  /** Undefined: it could not be compared with that of another replica. */
  readonly position: string | undefined;
}

const nobodyListens = (): void => undefined;

const noLabels: ResponseLabels = { noncePrefix: '', position: undefined };

const lists = [...(Object.keys(configurationTypes) as readonly ConfigurationList[]), 'secrets', 'faults'] as const;

const steps = [secretStep, ...configurationSteps, faultStep, nameStep];

/** Types beside the configuration. */
const others: ReadonlyMap<string, 'secrets' | 'faults'> = new Map([
  [secretTypeUrl, 'secrets'],
  [faultType.typeUrl, 'faults'],
]);

const listsWithNames = [...lists, 'names'] as const;

function typeOf(list: (typeof lists)[number]): DiscoveryType {
  if (list === 'secrets') return secretType;
  return list === 'faults' ? faultType : configurationTypes[list];
}

/** An urgent change does not wait for clusters that warm. */
const urgentStepMs = 100;

/** Hears of the streams of all proxies. */
export interface StreamKeeper {
  sent(stream: ProxyStream, response: SentNote): void;
  answered(stream: ProxyStream, nonce: string, refusal: Refusal | undefined): void;
  complete(stream: ProxyStream, typeUrl: string): void;
  isolated(stream: ProxyStream, typeUrl: string, culprits: readonly Culprit[]): void;
  settled(stream: ProxyStream): void;
  closed(stream: ProxyStream): void;
}

/** Limits of a stream, and its listener for the end of the start. */
export interface StreamParts {
  readonly bounds?: StreamBounds | undefined;
  readonly start?: Start | undefined;
}

/** One type of a stream. Thousands of streams have several each: an object with getters of its own would take fifteen times as much. */
class ServedSource implements ViewSource {
  readonly type: DiscoveryType;
  view = emptyView;
  position: string | undefined;

  constructor(type: DiscoveryType) {
    this.type = type;
  }

  take(view: ResourceView, position: string | undefined): void {
    this.view = view;
    this.position = position;
  }
}

/** One stream of a proxy, and what it is served. */
export class ProxyStream implements StreamScope {
  readonly owner: StreamOwner;
  readonly steps = steps;
  readonly #keeper: StreamKeeper;
  readonly #stepTimeoutMs: number;
  readonly #bounds: StreamBounds | undefined;
  readonly #start: Start | undefined;
  readonly #sources: Readonly<Record<(typeof lists)[number], ServedSource>>;
  /** Agents that answer DNS ask for names; nobody else does, and has no object for them. */
  #names: ServedSource | undefined;
  #views: ServedViews | undefined;
  #isUrgent = false;
  #labels = noLabels;
  #listener = nobodyListens;

  constructor(owner: StreamOwner, keeper: StreamKeeper, stepTimeoutMs: number, { bounds, start }: StreamParts = {}) {
    this.owner = owner;
    this.#keeper = keeper;
    this.#stepTimeoutMs = stepTimeoutMs;
    this.#bounds = bounds;
    this.#start = start;
    this.#sources = {
      clusters: new ServedSource(typeOf('clusters')),
      endpoints: new ServedSource(typeOf('endpoints')),
      listeners: new ServedSource(typeOf('listeners')),
      routes: new ServedSource(typeOf('routes')),
      secrets: new ServedSource(typeOf('secrets')),
      faults: new ServedSource(typeOf('faults')),
    };
  }

  get noncePrefix(): string {
    return this.#labels.noncePrefix;
  }

  get stepTimeoutMs(): number {
    return this.#isUrgent ? Math.min(urgentStepMs, this.#stepTimeoutMs) : this.#stepTimeoutMs;
  }

  sourceOf(typeUrl: string): ViewSource | undefined {
    if (typeUrl === nameType.typeUrl) {
      this.#names ??= this.#nameSource();
      return this.#names;
    }
    const list = others.get(typeUrl) ?? listOf(typeUrl);
    return list && this.#sources[list];
  }

  /** A client that comes back may still have names of a larger mesh. */
  mostNames(typeUrl: string): number {
    const usual = typeUrl === secretTypeUrl ? mostSecretNames : 10_000;
    return usual + 4 * (this.sourceOf(typeUrl)?.view.size ?? 0);
  }

  onChange(listener: () => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = nobodyListens;
    };
  }

  asked(): void {
    this.#start?.active();
  }

  sent(response: SentNote): void {
    this.#keeper.sent(this, response);
  }

  answered(_typeUrl: string, refusal: Refusal | undefined, nonce: string): void {
    this.#keeper.answered(this, nonce, refusal);
  }

  complete(typeUrl: string): void {
    this.#keeper.complete(this, typeUrl);
  }

  isolated(typeUrl: string, culprits: readonly Culprit[]): void {
    this.#keeper.isolated(this, typeUrl, culprits);
  }

  settled(): void {
    this.#isUrgent = false;
    this.#keeper.settled(this);
    this.#start?.settled();
  }

  closed(): void {
    this.#keeper.closed(this);
    this.#bounds?.closed();
    this.#start?.closed();
  }

  pace(bytes: number, isAnswer: boolean): number {
    return this.#bounds?.pace(bytes, isAnswer) ?? 0;
  }

  /** From now on this is served. */
  take(views: ServedViews | undefined, isUrgent: boolean, labels: ResponseLabels = noLabels): void {
    this.#views = views;
    this.#labels = labels;
    for (const list of lists) this.#sources[list].take(views?.[list] ?? emptyView, labels.position);
    this.#names?.take(views?.names ?? emptyView, labels.position);
    this.#isUrgent ||= isUrgent;
    this.#listener();
  }

  /** About how many bytes lead from what is served to `views`; undefined: nothing differs. */
  bytesTo(views: ServedViews): number | undefined {
    let bytes: number | undefined;
    for (const list of this.#names === undefined ? lists : listsWithNames) {
      const before = this.#views?.[list];
      if (before === views[list]) continue;
      bytes ??= 0;
      for (const { body } of views[list].changesSince(before ?? emptyView).changed) bytes += body.length;
    }
    return bytes;
  }

  #nameSource(): ServedSource {
    const source = new ServedSource(nameType);
    source.take(this.#views?.names ?? emptyView, this.#labels.position);
    return source;
  }
}
