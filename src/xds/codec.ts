import type { DeltaRequest, DeltaResponse, DiscoveryRequest, DiscoveryResponse, ErrorDetail } from './message.ts';
import { decodeWire, encodeWire } from './wire.ts';

/** How one form of the protocol reads its requests and writes its responses. */
export interface Codec<Request, Response> {
  decode(bytes: Uint8Array): Request;
  encode(response: Response): Buffer;
}

interface RawRequest {
  readonly node?: { readonly id: string } | null;
  readonly typeUrl: string;
  readonly responseNonce: string;
  readonly errorDetail?: ErrorDetail | null;
}

export const stateOfTheWorldCodec: Codec<DiscoveryRequest, DiscoveryResponse> = {
  decode: (bytes) => {
    const raw = decodeWire('DiscoveryRequest', bytes) as unknown as RawRequest & {
      readonly versionInfo: string;
      readonly resourceNames: readonly string[];
    };
    return { ...commonFields(raw), versionInfo: raw.versionInfo, resourceNames: raw.resourceNames };
  },
  encode: ({ typeUrl, versionInfo, nonce, resources }) =>
    encodeWire('DiscoveryResponse', {
      versionInfo,
      nonce,
      typeUrl,
      resources: resources.map((value) => ({ typeUrl, value })),
    }),
};

export const deltaCodec: Codec<DeltaRequest, DeltaResponse> = {
  decode: (bytes) => {
    const raw = decodeWire('DeltaDiscoveryRequest', bytes) as unknown as RawRequest & {
      readonly resourceNamesSubscribe: readonly string[];
      readonly resourceNamesUnsubscribe: readonly string[];
      readonly initialResourceVersions: Readonly<Record<string, string>>;
    };
    return {
      ...commonFields(raw),
      subscribe: raw.resourceNamesSubscribe,
      unsubscribe: raw.resourceNamesUnsubscribe,
      initialVersions: raw.initialResourceVersions,
    };
  },
  encode: ({ typeUrl, systemVersion, nonce, resources, removed }) =>
    encodeWire('DeltaDiscoveryResponse', {
      systemVersionInfo: systemVersion,
      nonce,
      typeUrl,
      removedResources: removed,
      resources: resources.map(({ name, version, body }) => ({ name, version, resource: { typeUrl, value: body } })),
    }),
};

function commonFields(raw: RawRequest) {
  return {
    nodeId: raw.node?.id ?? '',
    typeUrl: raw.typeUrl,
    responseNonce: raw.responseNonce,
    errorDetail: raw.errorDetail ?? undefined,
  };
}
