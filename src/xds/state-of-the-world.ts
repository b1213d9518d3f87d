import { cleanErrorMessage, type DiscoveryRequest, type DiscoveryResponse } from './message.ts';
import { contentVersion, type DiscoveryResource } from './resource.ts';
import { ResourceList } from './resource-list.ts';
import type { ViewSource } from './resource-store.ts';
import { emptyView, ResourceView } from './resource-view.ts';
import {
  type DiscoveryStream,
  isTold,
  isWildcard,
  noNames,
  type SentResponse,
  type StreamReaction,
  type UpdateOptions,
} from './stream.ts';
import { SubscribedNames } from './subscribed-names.ts';
import { Suspects } from './suspects.ts';

interface SentWorld extends SentResponse {
  readonly nonce: string;
  /** What the client has once it has accepted the response. */
  readonly view: ResourceView;
}

/**
 * One client's subscription to one type in the state-of-the-world form of the protocol. Names without a resource are
 * answered when the resource arrives.
 */
export class StateOfTheWorldStream implements DiscoveryStream<DiscoveryRequest, DiscoveryResponse> {
  readonly #source: ViewSource;
  readonly #nextNonce: () => string;
  readonly #names = new SubscribedNames();
  readonly #suspects = new Suspects();
  told: ResourceView | undefined;
  #hasStarted = false;
  #nodeId = '';
  /** Told by the last response, or by a client's refusal of it. */
  #base: ResourceView = emptyView;
  #accepted: ResourceView = emptyView;
  #last: SentWorld | undefined;
  #isUnanswered = false;
  /** A response is due though no version differs. */
  #isDue = false;
  /** Resources that are gone, and of which the client is not told yet. */
  readonly #kept = new Map<string, DiscoveryResource>();

  constructor(source: ViewSource, nextNonce: () => string) {
    this.#source = source;
    this.#nextNonce = nextNonce;
  }

  get mayHaveNews(): boolean {
    const isAtView = this.#source.view === this.#base && this.#kept.size === 0 && !this.#isDue;
    return !isAtView || this.#suspects.probe !== undefined;
  }

  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  get gone(): readonly string[] {
    this.#move();
    return [...this.#kept.keys()];
  }

  isComplete(lingering = noNames): boolean {
    this.#move();
    if (!this.#hasStarted || this.#isUnanswered || this.#isDue) return false;
    for (const name of this.#kept.keys()) if (!lingering.has(name)) return false;
    if (this.#accepted === this.#base) return true;
    return this.#base.all.every(
      ({ name, version }) => !this.#names.has(name) || this.#accepted.get(name)?.version === version,
    );
  }

  get pendingNames(): readonly string[] {
    this.#move();
    return this.#names.absent;
  }

  /** Takes a request: a subscription, an acknowledgement, a refusal, or two of them at once. */
  receive(request: DiscoveryRequest): StreamReaction<DiscoveryResponse> {
    this.#nodeId ||= request.nodeId;
    if (request.responseNonce === '') return { response: this.#subscribe(request.resourceNames) };
    // A stale nonce answers a response that a newer one has overtaken; the client will speak again.
    if (request.responseNonce !== this.#last?.nonce) return { response: undefined };
    const told = this.#settle(this.#last, request);
    this.#move();
    const isAsked = this.#renames(request.resourceNames);
    // What a change calls for comes in its turn, by `update`: a removal in between would be too early.
    return { ...told, response: isAsked ? this.#respond() : undefined };
  }

  /** Sent also when an older one is not acknowledged yet; content that the client refused is not sent again. */
  update({ removes = true }: UpdateOptions = {}): DiscoveryResponse | undefined {
    if (!this.#hasStarted) return undefined;
    const { probe } = this.#suspects;
    if (probe !== undefined) return this.#last?.isProbe && this.#isUnanswered ? undefined : this.#respond(probe);
    this.#move();
    for (const name of this.#kept.keys()) {
      if (!isTold(removes, name)) continue;
      this.#kept.delete(name);
      this.#isDue = true;
    }
    if (!this.#isDue) return undefined;
    // An Envoy that follows nothing of the type any more never answers an empty response, and to any other one it says nothing.
    this.#isDue = this.#names.isWildcard || this.#available().length > 0;
    return this.#isDue ? this.#respond() : undefined;
  }

  repeat(names: Iterable<string>): void {
    this.#move();
    for (const name of names) if (this.#names.isNamed(name) && this.#base.get(name) !== undefined) this.#isDue = true;
  }

  takeSent(): readonly DiscoveryResource[] {
    return this.#last?.resources ?? [];
  }

  #subscribe(names: readonly string[]): DiscoveryResponse | undefined {
    this.#hasStarted = true;
    this.#move();
    const { hasWildcard } = this.#source.type;
    this.#names.isWildcard = hasWildcard && isWildcard(names);
    this.#renames(names);
    // Answered whatever version a reconnecting client says it has: Envoy names the last one that it accepted, while a
    // secret that it refused stays in its memory and makes it refuse the next good one of the other kind.
    this.#isDue = this.#names.isWildcard || this.#available().length > 0;
    return this.update();
  }

  /** Whether a resource is asked for that was not; a name that is dropped and asked for again is answered again. */
  #renames(names: readonly string[]): boolean {
    const wanted = new Set(names.filter((name) => name !== '*'));
    const added = [...wanted].filter((name) => !this.#names.isNamed(name));
    if (added.length === 0 && wanted.size === this.#names.size) return false;
    this.#names.clear();
    this.#names.add(wanted);
    return !this.#names.isWildcard && added.some((name) => this.#base.get(name) !== undefined);
  }

  #settle(last: SentWorld, { errorDetail }: DiscoveryRequest): Omit<StreamReaction<DiscoveryResponse>, 'response'> {
    const isFirstWord = this.#isUnanswered;
    this.#isUnanswered = false;
    if (errorDetail === undefined) {
      this.#accepted = last.view;
      // Nothing more is asked about it.
      if (isFirstWord) this.#last = { ...last, resources: [] };
      const culprits = isFirstWord && last.isProbe ? this.#suspects.settle(true) : [];
      if (isFirstWord && last.isProbe && this.#suspects.probe === undefined) this.#isDue = true;
      return { isAccepted: isFirstWord, culprits };
    }
    const message = cleanErrorMessage(errorDetail.message);
    const names = last.resources.map(({ name }) => name);
    const { typeUrl, isConfiguration } = this.#source.type;
    const refusal = { typeUrl, nodeId: this.#nodeId, names, version: last.version, message };
    if (!isConfiguration || !isFirstWord) return { refusal };
    const fresh = last.resources.filter(({ name, version }) => this.#accepted.get(name)?.version !== version);
    const culprits = last.isProbe ? this.#suspects.settle(false) : this.#suspects.begin(fresh, message);
    // Without the culprit: of a response with several of them Envoy may have taken none.
    this.#isDue = fresh.length > 1 || last.isProbe;
    return { refusal, culprits };
  }

  #move(): void {
    const { view } = this.#source;
    if (view === this.#base) return;
    const { changed, removed } = view.changesSince(this.#base);
    if (changed.some(({ name }) => this.#names.has(name))) this.#isDue = true;
    // Where everything is subscribed, absence says something too; the absence of a name says nothing.
    if (this.#names.isWildcard) {
      for (const name of removed) {
        const gone = this.#base.get(name);
        if (gone !== undefined) this.#kept.set(name, gone);
      }
    }
    for (const { name } of changed) this.#kept.delete(name);
    this.#base = view;
    this.#names.follow(view);
  }

  #available(probe: readonly DiscoveryResource[] = []): readonly DiscoveryResource[] {
    const all = this.#kept.size === 0 ? this.#base.all : [...this.#base.all, ...this.#kept.values()];
    const probed = new Set(probe);
    return all
      .filter(({ name }) => this.#names.has(name))
      .map((resource) =>
        this.#suspects.holds(resource) && !probed.has(resource) ? this.#accepted.get(resource.name) : resource,
      )
      .filter((resource) => resource !== undefined);
  }

  #respond(probe?: readonly DiscoveryResource[]): DiscoveryResponse {
    const resources = this.#available(probe);
    const isWhole = resources.length === this.#base.size && resources.every((it) => it === this.#base.get(it.name));
    const view = isWhole ? this.#base : new ResourceView(new ResourceList(resources));
    const version = contentVersion(...resources.flatMap((resource) => [resource.name, resource.version]));
    const nonce = this.#nextNonce();
    this.#isDue = false;
    this.#isUnanswered = true;
    this.#last = { nonce, version, resources, view, isProbe: probe !== undefined };
    const bodies = resources.map((resource) => resource.body);
    return { typeUrl: this.#source.type.typeUrl, versionInfo: version, nonce, resources: bodies };
  }
}
