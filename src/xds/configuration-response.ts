import { decodeMessage } from '../envoy/api/decode.ts';
import { encodeMessage } from '../envoy/api/encode.ts';

const discovery = 'envoy.service.discovery.v3';

/** A response of a configuration server, in either form of the protocol. */
export interface ConfigurationResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  /** Of all resources of the type; empty in the incremental form. */
  readonly version: string;
  readonly resources: readonly {
    readonly name: string;
    readonly version: string;
    readonly type: string;
    readonly body: Buffer;
  }[];
  /** Empty where the response has all that there is. */
  readonly removed: readonly string[];
}

interface RawAny {
  readonly '@type'?: string;
  readonly value?: string;
}

/** Reads `DeltaDiscoveryResponse` or `DiscoveryResponse`. Throws where the bytes are none. */
export function readConfigurationResponse(bytes: Uint8Array, isIncremental: boolean): ConfigurationResponse {
  const raw = decodeMessage(`${discovery}.${isIncremental ? 'Delta' : ''}DiscoveryResponse`, bytes) as {
    readonly type_url?: string;
    readonly nonce?: string;
    readonly version_info?: string;
    readonly resources?: readonly (RawAny & {
      readonly name?: string;
      readonly version?: string;
      readonly resource?: RawAny;
    })[];
    readonly removed_resources?: readonly string[];
  };
  const resources = (raw.resources ?? []).map((resource) => {
    const any = isIncremental ? (resource.resource ?? {}) : resource;
    const [name, version] = isIncremental ? [resource.name, resource.version] : [];
    return {
      name: name ?? '',
      version: version ?? '',
      type: any['@type'] ?? '',
      body: Buffer.from(any.value ?? '', 'base64'),
    };
  });
  const { type_url: typeUrl = '', nonce = '', version_info: version = '', removed_resources: removed = [] } = raw;
  return { typeUrl, nonce, version, resources, removed };
}

/** What is said to a configuration server; what is absent is not sent. */
export interface ConfigurationAsk {
  readonly typeUrl: string;
  readonly nodeId?: string;
  readonly nonce?: string;
  /** What this client has; by name in the incremental form. */
  readonly version?: string;
  readonly versions?: Readonly<Record<string, string>>;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

/** The same request in the form of the stream; of all resources of the type. */
export function encodeConfigurationAsk(ask: ConfigurationAsk, isIncremental: boolean): Buffer {
  const { typeUrl, nodeId, nonce, version, versions, error } = ask;
  const common = {
    ...(nodeId !== undefined && { node: { id: nodeId } }),
    ...{ type_url: typeUrl, response_nonce: nonce, error_detail: error },
  };
  const bytes = isIncremental
    ? encodeMessage(`${discovery}.DeltaDiscoveryRequest`, {
        ...common,
        initial_resource_versions: versions,
        resource_names_subscribe: nonce === undefined ? ['*'] : undefined,
      })
    : encodeMessage(`${discovery}.DiscoveryRequest`, { ...common, version_info: version });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
