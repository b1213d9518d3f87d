import { compareStrings } from '../lib/sort.ts';
import { SparseMap } from '../lib/sparse.ts';
import { cleanErrorMessage, type DeltaRequest, type DeltaResponse, type ErrorDetail } from './message.ts';
import { withPosition } from './position.ts';
import type { DiscoveryResource } from './resource.ts';
import type { ViewSource } from './resource-store.ts';
import { emptyView, type ResourceView } from './resource-view.ts';
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
import { type Culprit, Suspects } from './suspects.ts';
import { UnansweredResponses } from './unanswered.ts';

interface Changes {
  readonly resources: readonly DiscoveryResource[];
  readonly removed: readonly string[];
}

const noResources: readonly DiscoveryResource[] = [];

/**
 * One client's subscription to one type in the incremental form of the protocol. What the client has is told by a view
 * that it was sent, and by what differs from that.
 */
export class DeltaStream implements DiscoveryStream<DeltaRequest, DeltaResponse> {
  readonly #source: ViewSource;
  readonly #nextNonce: () => string;
  readonly #names = new SubscribedNames();
  /** Absent until the client refuses something. */
  #suspects: Suspects | undefined;
  told: ResourceView | undefined;
  #hasStarted = false;
  #nodeId = '';
  #base: ResourceView = emptyView;
  /** Versions of the client where they are not those of the view, by name; '': it has none, or gets another one anyway. */
  readonly #exceptions = new SparseMap<string, string>();
  readonly #unanswered = new UnansweredResponses();
  #lastSent = noResources;

  constructor(source: ViewSource, nextNonce: () => string) {
    this.#source = source;
    this.#nextNonce = nextNonce;
  }

  get mayHaveNews(): boolean {
    return this.#source.view !== this.#base || this.#exceptions.size > 0 || this.#suspects?.probe !== undefined;
  }

  get isUnanswered(): boolean {
    return this.#unanswered.size > 0;
  }

  get gone(): readonly string[] {
    this.#move();
    return [...this.#exceptions.keys()].filter((name) => this.#resourceOf(name) === undefined);
  }

  isComplete(lingering = noNames): boolean {
    this.#move();
    if (!this.#hasStarted || this.#unanswered.size > 0) return false;
    for (const name of this.#exceptions.keys())
      if (!lingering.has(name) || this.#resourceOf(name) !== undefined) return false;
    return true;
  }

  get pendingNames(): readonly string[] {
    this.#move();
    return this.#names.absent;
  }

  /** Takes a request; in this form of the protocol each response is acknowledged or refused by its own nonce. */
  receive(request: DeltaRequest): StreamReaction<DeltaResponse> {
    this.#nodeId ||= request.nodeId;
    const told = this.#settle(request);
    this.#move();
    const isFirst = !this.#hasStarted;
    const hasNone = Object.keys(request.initialVersions).length === 0;
    const asked = isFirst ? this.#start(request) : this.#subscribe(request.subscribe);
    for (const name of request.unsubscribe) this.#unsubscribe(name);
    // Of what a client has beside the names that it asks for, routes of its own may still lead to what is gone.
    const removes = isFirst && this.#names.isWildcard ? new Set(request.subscribe) : true;
    const response = this.#respond(this.#collect(asked, removes, hasNone || !isFirst));
    // Envoy starts once it knows all clusters and listeners, though there be none.
    const isWaitedFor = isFirst && this.#names.isWildcard && hasNone;
    return { ...told, response: response ?? (isWaitedFor ? this.#send({ resources: [], removed: [] }) : undefined) };
  }

  /** The client has everything of this moment, and follows it: as if its first request named each resource with its version. */
  resume(nodeId: string): void {
    const { type, view } = this.#source;
    this.#hasStarted = true;
    this.#nodeId = nodeId;
    this.#base = view;
    this.#names.isWildcard = type.hasWildcard;
    if (type.hasWildcard) this.#names.follow(view);
    else this.#names.followAll(view);
  }

  update({ removes = true }: UpdateOptions = {}): DeltaResponse | undefined {
    if (!this.#hasStarted) return undefined;
    const probe = this.#suspects?.probe;
    if (probe !== undefined && !this.#unanswered.hasProbe) {
      return this.#respond({ resources: probe, removed: [] }, true);
    }
    this.#move();
    return this.#exceptions.size === 0 ? undefined : this.#respond(this.#collect(this.#exceptions.keys(), removes));
  }

  repeat(names: Iterable<string>): void {
    this.#move();
    for (const name of names) if (this.#names.isNamed(name)) this.#exceptions.set(name, '');
  }

  takeSent(): readonly DiscoveryResource[] {
    const sent = this.#lastSent;
    this.#lastSent = noResources;
    return sent;
  }

  #start({ subscribe, initialVersions }: DeltaRequest): Iterable<string> {
    this.#hasStarted = true;
    const { hasWildcard, isConfiguration = false } = this.#source.type;
    const versions = new Map(Object.entries(initialVersions));
    this.#names.isWildcard = hasWildcard && isWildcard(subscribe);
    this.#names.add(subscribe.filter((name) => name !== '*'));
    // A client that names nothing of a type without wildcard goes on with what it says it has.
    if (isConfiguration && !this.#names.isWildcard) this.#names.add(versions.keys());
    const asked = new Set([...subscribe.filter((name) => name !== '*'), ...versions.keys()]);
    if (this.#names.isWildcard) for (const { name } of this.#base.all) asked.add(name);
    if (versions.size === 0) return asked;
    for (const name of asked) {
      // A secret is sent whatever the client says: Envoy names the last one that it accepted.
      const isBelieved = isConfiguration || !subscribe.includes(name);
      this.#exceptions.set(name, (isBelieved && versions.get(name)) || '');
    }
    return asked;
  }

  /** Subscribing asks for the resource whatever the client has: it may have dropped it. */
  #subscribe(names: readonly string[]): Iterable<string> {
    const asked = new Set(names);
    if (asked.delete('*') && this.#source.type.hasWildcard && !this.#names.isWildcard) {
      for (const { name } of this.#base.all) if (!this.#names.isNamed(name)) asked.add(name);
      this.#names.isWildcard = true;
    }
    this.#names.add(names.filter((name) => name !== '*'));
    return asked;
  }

  #unsubscribe(name: string): void {
    if (name === '*') this.#names.isWildcard = false;
    this.#names.delete(name);
    if (!this.#names.has(name)) this.#exceptions.delete(name);
  }

  #settle(request: DeltaRequest): Omit<StreamReaction<never>, 'response'> {
    const answered = this.#unanswered.take(request.responseNonce);
    if (answered === undefined) return {};
    if (request.errorDetail !== undefined) return this.#refuse(answered, request.errorDetail);
    const culprits = (answered.isProbe && this.#suspects?.settle(true)) || [];
    return { isAccepted: true, culprits };
  }

  /** All resources of a refused response go out again, the good ones among them too: Envoy may have taken none. */
  #refuse({ resources, version, isProbe }: SentResponse, detail: ErrorDetail) {
    for (const { name } of resources) if (this.#names.has(name)) this.#exceptions.set(name, '');
    const message = cleanErrorMessage(detail.message);
    let culprits: readonly Culprit[] = [];
    this.#suspects ??= new Suspects();
    if (!this.#source.type.isConfiguration) this.#suspects.holdAll(resources);
    else if (isProbe) culprits = this.#suspects.settle(false);
    else culprits = this.#suspects.begin(resources, message);
    const names = resources.map(({ name }) => name);
    const refusal = { typeUrl: this.#source.type.typeUrl, nodeId: this.#nodeId, names, version, message };
    return { refusal, culprits };
  }

  /** From now on what the client has is told by what differs from the view of this moment. */
  #move(): void {
    const { view } = this.#source;
    if (view === this.#base) return;
    if (this.#hasStarted) this.#except(view);
    // A refused secret may be good beside another one.
    if (!this.#source.type.isConfiguration) this.#suspects?.clear();
    this.#base = view;
    this.#names.follow(view);
  }

  /** What of the names differs in `view` becomes an exception. */
  #except(view: ResourceView): void {
    const { changed, removed } = view.changesSince(this.#base);
    for (const name of [...changed.map((resource) => resource.name), ...removed]) {
      if (!this.#names.has(name) || this.#exceptions.has(name)) continue;
      this.#exceptions.set(name, this.#base.get(name)?.version ?? '');
    }
  }

  #resourceOf(name: string): DiscoveryResource | undefined {
    return this.#names.has(name) ? this.#base.get(name) : undefined;
  }

  /** `isAnew`: of these the client has nothing, or gets them again; thousands of names do not become exceptions first. */
  #collect(names: Iterable<string>, removes: boolean | ReadonlySet<string>, isAnew = false): Changes {
    const resources: DiscoveryResource[] = [];
    const removed: string[] = [];
    for (const name of [...names]) {
      const has = isAnew && this.#names.has(name) ? '' : this.#exceptions.get(name);
      if (has === undefined) continue;
      const resource = this.#resourceOf(name);
      const isNews = has !== resource?.version;
      if (resource === undefined ? !isTold(removes, name) : isNews && this.#suspects?.holds(resource)) {
        this.#exceptions.set(name, has);
        continue;
      }
      if (resource === undefined) {
        if (has !== '' || this.#source.type.isConfiguration) removed.push(name);
      } else if (isNews) resources.push(resource);
      this.#exceptions.delete(name);
    }
    return { resources: resources.sort((a, b) => compareStrings(a.name, b.name)), removed: removed.sort() };
  }

  #respond({ resources, removed }: Changes, isProbe = false): DeltaResponse | undefined {
    if (resources.length === 0 && removed.length === 0) return undefined;
    return this.#send({ resources, removed }, isProbe);
  }

  #send({ resources, removed }: Changes, isProbe = false): DeltaResponse {
    const nonce = this.#nextNonce();
    const { version } = this.#base;
    this.#unanswered.add(nonce, { version, resources, isProbe });
    this.#lastSent = resources;
    if (isProbe) for (const { name, version } of resources) this.#probed(name, version);
    const { type, position } = this.#source;
    const systemVersion = withPosition(version, position);
    return { typeUrl: type.typeUrl, systemVersion, nonce, resources, removed };
  }

  #probed(name: string, version: string): void {
    if (this.#base.get(name)?.version === version) this.#exceptions.delete(name);
    else if (this.#exceptions.has(name)) this.#exceptions.set(name, version);
  }
}
