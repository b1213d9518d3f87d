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
  /**
   * Listeners, clusters, routes, endpoints: a client that comes back is believed which versions it has, names that are not
   * there are told, and of a response that the client refused the culprit is looked for. Absent: secrets, for Envoy names
   * the last secret that it accepted, while one that it refused stays in its memory.
   */
  readonly isConfiguration?: boolean;
}

/** First 16 hex digits of the SHA-256 of `parts`, kept apart from each other. */
export function contentVersion(...parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  const hash = createHash('sha256').update(text);
  // A slice of the whole text would keep it.
  return hash.digest().toString('hex', 0, 8);
}
