import { decodeMessage } from '../envoy/api/decode.ts';
import type { DeltaRequest, DeltaResponse, DiscoveryRequest, DiscoveryResponse, ErrorDetail } from './message.ts';
import { writeBodies, writeEntries } from './resource-entries.ts';

/** How one form of the protocol reads its requests and writes its responses (envoy/service/discovery/v3). */
export interface Codec<Request, Response> {
  /** Throws when the bytes are no request. */
  decode(bytes: Uint8Array): Request;
  encode(response: Response): Buffer;
}

const discovery = 'envoy.service.discovery.v3';

/** Fields that both requests have; the decoder leaves defaults out. */
interface RawRequest {
  readonly node?: {
    readonly id?: string;
    readonly user_agent_build_version?: { readonly version?: Readonly<Record<string, number>> };
  };
  readonly type_url?: string;
  readonly response_nonce?: string;
  readonly error_detail?: Partial<ErrorDetail>;
}

interface RawDiscoveryRequest extends RawRequest {
  readonly version_info?: string;
  readonly resource_names?: readonly string[];
}

interface RawDeltaRequest extends RawRequest {
  readonly resource_names_subscribe?: readonly string[];
  readonly resource_names_unsubscribe?: readonly string[];
  readonly initial_resource_versions?: Readonly<Record<string, string>>;
}

export const stateOfTheWorldCodec: Codec<DiscoveryRequest, DiscoveryResponse> = {
  decode: (bytes) => {
    const raw = decodeMessage(`${discovery}.DiscoveryRequest`, bytes) as RawDiscoveryRequest;
    return { ...common(raw), versionInfo: raw.version_info ?? '', resourceNames: raw.resource_names ?? [] };
  },
  encode: ({ typeUrl, versionInfo: version, nonce, resources }) => writeBodies({ version, typeUrl, nonce }, resources),
};

export const deltaCodec: Codec<DeltaRequest, DeltaResponse> = {
  decode: (bytes) => {
    const raw = decodeMessage(`${discovery}.DeltaDiscoveryRequest`, bytes) as RawDeltaRequest;
    return {
      ...common(raw),
      subscribe: raw.resource_names_subscribe ?? [],
      unsubscribe: raw.resource_names_unsubscribe ?? [],
      initialVersions: raw.initial_resource_versions ?? {},
    };
  },
  encode: ({ typeUrl, systemVersion: version, nonce, resources, removed }) =>
    writeEntries({ version, typeUrl, nonce, removed }, resources),
};

function common({ node, type_url = '', response_nonce = '', error_detail }: RawRequest) {
  return {
    nodeId: node?.id ?? '',
    node: node && { id: node.id ?? '', envoyVersion: versionText(node.user_agent_build_version?.version) },
    typeUrl: type_url,
    responseNonce: response_nonce,
    errorDetail: error_detail && { code: error_detail.code ?? 0, message: error_detail.message ?? '' },
  };
}

/** `1.40.0`; empty where the client does not tell. */
function versionText(version: Readonly<Record<string, number>> | undefined): string {
  if (version === undefined) return '';
  return [version.major_number, version.minor_number, version.patch].map((number = 0) => number).join('.');
}
