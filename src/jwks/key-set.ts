import type { RefusedKey } from './check-keys.ts';
import type { KeySetFault } from './fault.ts';

/** Whose keys, and where they are: what a rule of a RequestAuthentication says. */
export interface KeySetSource {
  readonly issuer: string;
  /** Absent or empty: OpenID Connect Discovery asks the issuer. */
  readonly jwksUri?: string | undefined;
  /** The rule's `timeout` for one download, in milliseconds; 5,000 by default, at most 60,000. */
  readonly timeoutMs?: number | undefined;
}

/** The public keys of a source as they were at one moment; ready to be inlined into Envoy's `local_jwks`. */
export interface KeySet {
  /** A JSON Web Key Set of usable public keys alone; the same keys give the same text. */
  readonly text: string;
  /** SHA-256 of `text`, hex. */
  readonly digest: string;
  /** Milliseconds of Unix time. */
  readonly fetchedAtMs: number;
  /** Keys of the source that were left out. */
  readonly refused: readonly RefusedKey[];
}

/** The keys in force, with a fault beside them when the last look at the source failed; or only why there are none. */
export type KeySetResult =
  | { readonly keySet: KeySet; readonly fault?: KeySetFault | undefined }
  | { readonly keySet?: undefined; readonly fault: KeySetFault };

/** Hears what the resolver does: the figures of the specification, and news for the proxies. */
export interface KeySetObserver {
  /** A request for a source's keys begins: `num_outgoing_requests`. */
  readonly onRequest: (source: KeySetSource) => void;
  /** The same request goes on after a failure: `num_outgoing_retries`. */
  readonly onRetry: (source: KeySetSource) => void;
  /** One download (key set or discovery document) ended: `pilot_jwks_resolver_network_fetch_{success,fail}_total`. */
  readonly onDownload: (source: KeySetSource, fault: KeySetFault | undefined) => void;
  /** A request ended, retries included: `outgoing_latency`, and where it failed `num_failed_outgoing_requests`. */
  readonly onRequestEnd: (source: KeySetSource, latencyMs: number, fault: KeySetFault | undefined) => void;
  /** The keys in force are others now, or there are none any more: time to configure the proxies again. */
  readonly onChange: (source: KeySetSource, result: KeySetResult) => void;
  /** A request failed for another reason than the one before. */
  readonly onFault: (source: KeySetSource, fault: KeySetFault) => void;
}
