import { DeltaStream } from './delta.ts';
import type { DeltaRequest, DeltaResponse } from './message.ts';
import { positionName } from './position.ts';
import type { ViewSource } from './resource-store.ts';
import type { ResourceView } from './resource-view.ts';

/**
 * A type of our own: its resources are the sets of the types of a proxy's configuration, by type URL, and the version of a
 * set is its digest. A client that comes back says with it which sets it has, in place of each name with its version. No
 * other client asks for it.
 */
export const setType = 'type.googleapis.com/mesh.discovery.v1.ResourceSet';

/** There are not so many types. */
const mostSets = 16;

/** How a stream goes on. */
export interface Resumed {
  /** Tells, as removed, the sets that the client has in another version; of these it has to name its resources. */
  readonly response: DeltaResponse;
  /** Subscriptions to the types of the other sets, by type URL, as if every resource had been named with its version. */
  readonly streams: ReadonlyMap<string, DeltaStream>;
}

/** Whether the client says that it has each of these views, so that it needs nothing, and that is what it asks for. */
export function hasAllSets(
  { typeUrl, initialVersions = {} }: Pick<DeltaRequest, 'typeUrl'> & Partial<Pick<DeltaRequest, 'initialVersions'>>,
  views: Iterable<readonly [typeUrl: string, view: ResourceView]>,
): boolean {
  return typeUrl === setType && [...views].every(([type, { digest }]) => initialVersions[type] === digest);
}

/**
 * Compares the sets that a client says it has with those that it may have now. A digest that is equal says no more than
 * that the client needs nothing: any other one, or one of a type that is no configuration (secrets), counts for nothing.
 */
export function resumeSets(
  { nodeId, initialVersions }: DeltaRequest,
  sourceOf: (typeUrl: string) => ViewSource | undefined,
  nextNonce: () => string,
): Resumed {
  const count = Object.keys(initialVersions).length;
  if (count > mostSets) throw new Error(`${count} sets in one request, at most ${mostSets}`);
  const streams = new Map<string, DeltaStream>();
  const removed: string[] = [];
  for (const [typeUrl, digest] of Object.entries(initialVersions)) {
    if (typeUrl === positionName) continue;
    const source = sourceOf(typeUrl);
    if (!source?.type.isConfiguration || source.view.digest !== digest) {
      removed.push(typeUrl);
      continue;
    }
    const stream = new DeltaStream(source, nextNonce);
    stream.resume(nodeId);
    streams.set(typeUrl, stream);
  }
  const response = { typeUrl: setType, systemVersion: '', nonce: nextNonce(), resources: [], removed: removed.sort() };
  return { response, streams };
}
