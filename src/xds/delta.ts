import { cleanErrorMessage, type DeltaRequest, type DeltaResponse } from './message.ts';
import { contentVersion, type DiscoveryResource, type ResourceStore } from './resource.ts';
import { isWildcard, type StreamReaction } from './state-of-the-world.ts';

interface Changes {
  readonly resources: readonly DiscoveryResource[];
  readonly removed: readonly string[];
}

/**
 * One client's subscription to one type in the incremental form of the protocol. Pure: the caller carries messages.
 * Names without a resource are answered when the resource arrives.
 */
export class DeltaStream {
  readonly #store: ResourceStore;
  readonly #nextNonce: () => string;
  readonly #names = new Set<string>();
  #isWildcard = false;
  #hasStarted = false;
  #nodeId = '';
  /** What the client has, by name. A version of '' asks for the resource whatever its version. */
  readonly #known = new Map<string, string>();
  readonly #unanswered = new Map<string, { readonly version: string; readonly names: readonly string[] }>();
  /** Resources of refused responses: all of them go out again with the next change, the good ones among them too. */
  readonly #refused = new Set<string>();

  constructor(store: ResourceStore, nextNonce: () => string) {
    this.#store = store;
    this.#nextNonce = nextNonce;
  }

  /** Takes a request; in this form of the protocol each response is acknowledged or refused by its own nonce. */
  receive(request: DeltaRequest): StreamReaction<DeltaResponse> {
    this.#nodeId ||= request.nodeId;
    const refusal = this.#settle(request);
    if (!this.#hasStarted) this.#start(request);
    for (const name of request.unsubscribe) this.#unsubscribe(name);
    const wanted = request.subscribe.filter((name) => name !== '*');
    for (const name of wanted) {
      this.#names.add(name);
      // Subscribing asks for the resource whatever version the client says it has: Envoy names the last one that it
      // accepted, while a secret that it refused stays in its memory and makes it refuse the next good one.
      this.#known.delete(name);
    }
    const response = this.#respond(this.#changed());
    return refusal === undefined ? { response } : { response, refusal };
  }

  /** The response that a change of the store calls for, if any. */
  update(): DeltaResponse | undefined {
    const changed = this.#changed();
    if (changed.resources.length === 0 && changed.removed.length === 0) return undefined;
    for (const name of this.#refused) this.#known.delete(name);
    this.#refused.clear();
    return this.#respond(this.#changed());
  }

  /** Subscribed names that no resource answers yet. */
  get pendingNames(): readonly string[] {
    return [...this.#names].filter((name) => this.#store.get(name) === undefined).sort();
  }

  #start(request: DeltaRequest): void {
    this.#hasStarted = true;
    this.#isWildcard = this.#store.type.hasWildcard && isWildcard(request.subscribe);
    for (const [name, version] of Object.entries(request.initialVersions)) this.#known.set(name, version);
  }

  #unsubscribe(name: string): void {
    if (name === '*') this.#isWildcard = false;
    this.#names.delete(name);
    if (!this.#isWildcard) this.#known.delete(name);
  }

  #settle(request: DeltaRequest): StreamReaction<DeltaResponse>['refusal'] {
    const answered = this.#unanswered.get(request.responseNonce);
    if (answered === undefined) return undefined;
    this.#unanswered.delete(request.responseNonce);
    if (request.errorDetail === undefined) return undefined;
    for (const name of answered.names) this.#refused.add(name);
    return {
      typeUrl: this.#store.type.typeUrl,
      nodeId: this.#nodeId,
      names: answered.names,
      version: answered.version,
      message: cleanErrorMessage(request.errorDetail.message),
    };
  }

  #changed(): Changes {
    const subscribed = this.#store.all.filter(({ name }) => this.#isWildcard || this.#names.has(name));
    return {
      resources: subscribed.filter(({ name, version }) => this.#known.get(name) !== version),
      removed: [...this.#known.keys()].filter((name) => this.#store.get(name) === undefined).sort(),
    };
  }

  #respond({ resources, removed }: Changes): DeltaResponse | undefined {
    if (resources.length === 0 && removed.length === 0) return undefined;
    const nonce = this.#nextNonce();
    const systemVersion = contentVersion(...this.#store.all.flatMap(({ name, version }) => [name, version]));
    for (const { name, version } of resources) this.#known.set(name, version);
    for (const name of removed) this.#known.delete(name);
    this.#unanswered.set(nonce, { version: systemVersion, names: resources.map(({ name }) => name) });
    return { typeUrl: this.#store.type.typeUrl, systemVersion, nonce, resources, removed };
  }
}
