/** `google.rpc.Status` as far as a client's refusal uses it. */
export interface ErrorDetail {
  readonly code: number;
  readonly message: string;
}

/** Who a client says it is; only its first request has it. */
export interface DiscoveryNode {
  readonly id: string;
  /** `1.40.0` */
  readonly envoyVersion: string;
}

/** `envoy.service.discovery.v3.DiscoveryRequest`; absent fields are empty. */
export interface DiscoveryRequest {
  readonly nodeId: string;
  readonly node?: DiscoveryNode | undefined;
  readonly typeUrl: string;
  /** The version that the client has in force. */
  readonly versionInfo: string;
  readonly resourceNames: readonly string[];
  readonly responseNonce: string;
  readonly errorDetail: ErrorDetail | undefined;
}

/** `envoy.service.discovery.v3.DiscoveryResponse`. */
export interface DiscoveryResponse {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
  readonly resources: readonly Uint8Array[];
}

/** `envoy.service.discovery.v3.DeltaDiscoveryRequest`. */
export interface DeltaRequest {
  readonly nodeId: string;
  readonly node?: DiscoveryNode | undefined;
  readonly typeUrl: string;
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** Only on a stream's first message: what the client has from an earlier stream. */
  readonly initialVersions: Readonly<Record<string, string>>;
  readonly responseNonce: string;
  readonly errorDetail: ErrorDetail | undefined;
}

/** `envoy.service.discovery.v3.DeltaDiscoveryResponse`. */
export interface DeltaResponse {
  readonly typeUrl: string;
  readonly systemVersion: string;
  readonly nonce: string;
  readonly resources: readonly {
    readonly name: string;
    readonly version: string;
    readonly body: Uint8Array;
  }[];
  readonly removed: readonly string[];
}

/** A client's refusal of a response. */
export interface Refusal {
  readonly typeUrl: string;
  readonly nodeId: string;
  /** Names of the refused response. */
  readonly names: readonly string[];
  readonly version: string;
  /** One line, without Envoy's noise and without key material. */
  readonly message: string;
}

const longestMessage = 1000;
/** A client may send megabytes, which take a third of a second to clean; of no message is more shown than its begin. */
const longestRead = 65_536;

/** Envoy's text of a refusal as one line: no line breaks, no `goo.gle/debugstr` marks, no PEM blocks. */
export function cleanErrorMessage(message: string): string {
  const line = message
    .slice(0, longestRead)
    .replaceAll(/-----BEGIN [^-]+-----[\s\S]*?(-----END [^-]+-----|$)/g, '[PEM]')
    .replaceAll(/goo\.gle\/\S+\s*/g, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach a log line
    .replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line;
}
