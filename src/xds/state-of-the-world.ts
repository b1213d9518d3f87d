import { cleanErrorMessage, type DiscoveryRequest, type DiscoveryResponse, type Refusal } from './message.ts';
import { contentVersion, type DiscoveryResource, type ResourceStore } from './resource.ts';

/** A stream's answer to a message: at most one response, and what the client refused. */
export interface StreamReaction<Response> {
  readonly response: Response | undefined;
  readonly refusal?: Refusal;
}

interface SentResponse {
  readonly nonce: string;
  readonly version: string;
  readonly names: readonly string[];
}

/**
 * One client's subscription to one type in the state-of-the-world form of the protocol.
 * Pure: the caller carries messages. Names without a resource are answered when the resource arrives.
 */
export class StateOfTheWorldStream {
  readonly #store: ResourceStore;
  readonly #nextNonce: () => string;
  #names: ReadonlySet<string> = new Set();
  #isWildcard = false;
  #nodeId = '';
  #last: SentResponse | undefined;
  /** Versions that the client has or refused, by name. */
  readonly #sent = new Map<string, string>();

  constructor(store: ResourceStore, nextNonce: () => string) {
    this.#store = store;
    this.#nextNonce = nextNonce;
  }

  /** Takes a request: a subscription, an acknowledgement, a refusal, or two of them at once. */
  receive(request: DiscoveryRequest): StreamReaction<DiscoveryResponse> {
    this.#nodeId ||= request.nodeId;
    if (request.responseNonce === '') return { response: this.#subscribe(request) };
    // A stale nonce answers a response that a newer one has overtaken; the client will speak again.
    if (request.responseNonce !== this.#last?.nonce) return { response: undefined };
    const refusal = request.errorDetail === undefined ? undefined : this.#refusalOf(this.#last, request.errorDetail);
    this.#replaceNames(request.resourceNames);
    const response = this.update();
    return refusal === undefined ? { response } : { response, refusal };
  }

  /**
   * The response that a change of the store calls for, if any. Sent also when an older one is not acknowledged yet;
   * content that the client refused is not sent again.
   */
  update(): DiscoveryResponse | undefined {
    const available = this.#available();
    const isChanged = available.some(({ name, version }) => this.#sent.get(name) !== version);
    // Where everything is subscribed, absence says something too: of a resource, and of all of them.
    const isShrunk = this.#isWildcard && (this.#sent.size > available.length || this.#last === undefined);
    return isChanged || isShrunk ? this.#respond(available) : undefined;
  }

  /** Subscribed names that no resource answers yet. */
  get pendingNames(): readonly string[] {
    return [...this.#names].filter((name) => this.#store.get(name) === undefined).sort();
  }

  #subscribe(request: DiscoveryRequest): DiscoveryResponse | undefined {
    this.#isWildcard = this.#store.type.hasWildcard && isWildcard(request.resourceNames);
    this.#replaceNames(request.resourceNames);
    // Answered whatever version a reconnecting client says it has: Envoy names the last one that it accepted, while a
    // secret that it refused stays in its memory and makes it refuse the next good one of the other kind.
    this.#sent.clear();
    return this.update();
  }

  #replaceNames(names: readonly string[]): void {
    this.#names = new Set(names);
    // A name that is dropped and asked for again is answered again.
    if (!this.#isWildcard) for (const name of this.#sent.keys()) if (!this.#names.has(name)) this.#sent.delete(name);
  }

  #available(): readonly DiscoveryResource[] {
    if (this.#isWildcard) return this.#store.all;
    return this.#store.all.filter((resource) => this.#names.has(resource.name));
  }

  #remember(resources: readonly DiscoveryResource[]): void {
    this.#sent.clear();
    for (const { name, version } of resources) this.#sent.set(name, version);
  }

  #respond(resources: readonly DiscoveryResource[]): DiscoveryResponse {
    const version = versionOf(resources);
    const nonce = this.#nextNonce();
    this.#last = { nonce, version, names: resources.map((resource) => resource.name) };
    this.#remember(resources);
    const bodies = resources.map((resource) => resource.body);
    return { typeUrl: this.#store.type.typeUrl, versionInfo: version, nonce, resources: bodies };
  }

  #refusalOf(refused: SentResponse, detail: { readonly message: string }): Refusal {
    return {
      typeUrl: this.#store.type.typeUrl,
      nodeId: this.#nodeId,
      names: refused.names,
      version: refused.version,
      message: cleanErrorMessage(detail.message),
    };
  }
}

/** A subscription of an empty list, or one that names `*`, means every resource of the type. */
export function isWildcard(names: readonly string[]): boolean {
  return names.length === 0 || names.includes('*');
}

function versionOf(resources: readonly DiscoveryResource[]): string {
  return contentVersion(...resources.flatMap((resource) => [resource.name, resource.version]));
}
