import { type Codec, deltaCodec, stateOfTheWorldCodec } from './codec.ts';
import { DeltaStream } from './delta.ts';
import type { DeltaRequest, DeltaResponse, DiscoveryNode, DiscoveryRequest, DiscoveryResponse } from './message.ts';
import type { ViewSource } from './resource-store.ts';
import { StateOfTheWorldStream } from './state-of-the-world.ts';
import type { DiscoveryStream } from './stream.ts';
import { resumeSets } from './whole-sets.ts';

/** What both forms of the protocol have in their requests. */
export interface AnyRequest {
  readonly typeUrl: string;
  readonly nodeId: string;
  readonly responseNonce: string;
  readonly node?: DiscoveryNode | undefined;
}

/** What both forms have in their responses. */
export interface AnyResponse {
  readonly typeUrl: string;
  readonly nonce: string;
}

/** One of the two forms of the protocol. */
export interface ProtocolForm<Request extends AnyRequest, Response extends AnyResponse> {
  readonly codec: Codec<Request, Response>;
  readonly open: (source: ViewSource, nextNonce: () => string) => DiscoveryStream<Request, Response>;
  readonly namesOf: (request: Request) => readonly string[];
  /** Names that the client says it wants no more. */
  readonly droppedBy: (request: Request) => readonly string[];
  readonly versionOf: (response: Response) => string;
  /** Answers a first request of the type `setType`; absent: the form has no such type. */
  readonly resume?: (
    first: Request,
    sourceOf: (typeUrl: string) => ViewSource | undefined,
    nextNonce: () => string,
  ) => { readonly response: Response; readonly streams: ReadonlyMap<string, DiscoveryStream<Request, Response>> };
}

export const stateOfTheWorldForm: ProtocolForm<DiscoveryRequest, DiscoveryResponse> = {
  codec: stateOfTheWorldCodec,
  open: (source, nextNonce) => new StateOfTheWorldStream(source, nextNonce),
  namesOf: (request) => request.resourceNames,
  droppedBy: () => [],
  versionOf: (response) => response.versionInfo,
};

export const deltaForm: ProtocolForm<DeltaRequest, DeltaResponse> = {
  codec: deltaCodec,
  open: (source, nextNonce) => new DeltaStream(source, nextNonce),
  namesOf: ({ subscribe, unsubscribe, initialVersions }) => [
    ...subscribe,
    ...unsubscribe,
    ...Object.keys(initialVersions),
  ],
  droppedBy: ({ unsubscribe }) => unsubscribe,
  versionOf: (response) => response.systemVersion,
  resume: resumeSets,
};
