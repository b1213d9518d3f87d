import type { ExchangeToken } from '../sts/cloud-exchange.ts';
import type { KeyAlgorithm } from './key.ts';
import type { WorkloadNames } from './spiffe-id.ts';

/** The certificate authority, and how a workload shows it who it is. */
export interface AuthorityOptions {
  /** `host:port` */
  readonly address: string;
  /** File with the roots that the CA's own certificate is checked with, read anew for each connection. */
  readonly rootPath: string;
  /**
   * Whether those roots are also the mesh's, which the workload's own certificate leads to; else (a platform's root)
   * they say nothing of it.
   */
  readonly isMeshRoot: boolean;
  /** File of the token, read anew for each attempt; undefined sends none. */
  readonly tokenPath: string | undefined;
  /** PLUGINS: gives what is shown instead of that token; absent: the token itself is shown. */
  readonly exchangeToken?: ExchangeToken | undefined;
  /** Folder of `cert-chain.pem` and `key.pem`, shown as client certificate when they are a good pair (PROV_CERT). */
  readonly provisionedFolder: string | undefined;
  /** Sent as `clusterid` with each request. */
  readonly clusterId: string;
  readonly names: WorkloadNames;
  readonly keyAlgorithm: KeyAlgorithm;
  readonly isPkcs8: boolean;
  /** The lifetime asked for; sent in whole seconds. */
  readonly lifetimeMs: number;
  /** Share of the lifetime that is left when a certificate is renewed, 0 to 1. */
  readonly graceRatio: number;
  /** The longest time between two looks at the clock. */
  readonly checkIntervalMs: number;
  /** The first attempt of a request waits a random time up to this. */
  readonly initialBackoffMs: number;
}

/**
 * Port 15010 is the one that a control plane serves without TLS, in a network that is secured by other means. No other
 * address is ever spoken to in the clear.
 */
export function isPlaintext(address: string): boolean {
  return address.endsWith(':15010');
}

/** What to do after an attempt that brought no certificate. */
export type Remedy =
  /** The world may be better soon. */
  | 'soon'
  /** The credential is refused or absent; another one may appear on disk. */
  | 'credential'
  /** The request itself is refused: the same one would be refused again. */
  | 'none';

/** An attempt brought no certificate. The message is one line, and holds neither key nor token. */
export class AuthorityError extends Error {
  override readonly name = 'AuthorityError';
  readonly remedy: Remedy;

  constructor(message: string, remedy: Remedy, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
