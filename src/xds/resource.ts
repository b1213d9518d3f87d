import { createHash } from 'node:crypto';

/** One resource of the discovery protocol. The engine looks only at its name and version. */
export interface DiscoveryResource {
  readonly name: string;
  /** Digest of the content: equal content is not sent twice, and a restarted server is recognised by its clients. */
  readonly version: string;
  /** Protobuf bytes of the resource; its type is the store's. */
  readonly body: Uint8Array;
}

/** What is known of one resource type. */
export interface DiscoveryType {
  /** `type.googleapis.com/…` */
  readonly typeUrl: string;
  /** An empty or `*` subscription means everything (listeners, clusters), not nothing (secrets, routes, endpoints). */
  readonly hasWildcard: boolean;
}

/** The resources of one type, and who wants to know when they change. */
export class ResourceStore {
  readonly type: DiscoveryType;
  #resources: ReadonlyMap<string, DiscoveryResource> = new Map();
  readonly #listeners = new Set<() => void>();

  constructor(type: DiscoveryType) {
    this.type = type;
  }

  /** Replaces all resources; listeners hear of it once, and not at all when nothing differs. */
  replace(resources: Iterable<DiscoveryResource>): void {
    const next = new Map([...resources].map((resource) => [resource.name, resource]));
    const isSame =
      next.size === this.#resources.size &&
      [...next.values()].every(({ name, version }) => this.#resources.get(name)?.version === version);
    if (isSame) return;
    this.#resources = next;
    for (const listener of this.#listeners) listener();
  }

  get(name: string): DiscoveryResource | undefined {
    return this.#resources.get(name);
  }

  /** Sorted by name. */
  get all(): readonly DiscoveryResource[] {
    return [...this.#resources.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Gives the function that ends the subscription. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** First 16 hex digits of the SHA-256 of `parts`, kept apart from each other. */
export function contentVersion(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest('hex').slice(0, 16);
}
