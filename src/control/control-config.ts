import type { SettingsOptions } from '../config/read.ts';
import type { WebhookConfig } from './admission/start-webhooks.ts';
import type { ReviewRules } from './auth/token-review.ts';
import type { RateLimit } from './ca/rate-limit.ts';
import type { ReplicaConfig } from './leader/join-replicas.ts';
import type { CompileData } from './push/compile-messages.ts';
import type { Address } from './server/address.ts';
import type { ConnectionLimits } from './server/connection-limits.ts';
import type { OtlpSettings } from './trace/otlp-settings.ts';

/** How the tokens of service accounts are verified. */
export interface TokenConfig {
  /** Expected `iss`. Without a key file, keys are fetched from it by OpenID Connect Discovery. */
  readonly issuer: string | undefined;
  readonly keyFile: string | undefined;
  readonly audiences: readonly string[];
  /** JWT_POLICY. */
  readonly isFirstParty: boolean;
  /** Hosts, in addition to the issuer's, that keys may be fetched from even if their addresses are private. */
  readonly allowedHosts: readonly string[];
  /** PEM roots that verify the server of keys, in addition to Node's roots. */
  readonly issuerRoots: string | undefined;
  /** The file of these roots, which is watched. */
  readonly issuerRootsFile?: string | undefined;
}

/** ENABLE_CA_SERVER; everything about the CA. */
export interface AuthorityConfig {
  /** Undefined: the default folders; with a cluster, its Secrets instead. */
  readonly folder: string | undefined;
  readonly keyAlgorithm: 'ECDSA' | 'RSA';
  /** Undefined: tokens are not verified with keys. */
  readonly tokens: TokenConfig | undefined;
  /** Absent: tokens are not verified by the API server of the cluster. */
  readonly reviews?: ReviewRules | undefined;
  /** Values of the header `clusterid` that name our cluster. */
  readonly clusterIds: readonly string[];
  /** CENTRAL_ISTIOD */
  readonly takesOtherClusters?: boolean | undefined;
  readonly limit: RateLimit;
}

/** What the TLS listener shows: a certificate that the CA signs, or one of the operator's. */
export type ServerCertificateConfig =
  | { readonly names: readonly string[]; readonly outputFolder: string | undefined; readonly folder?: never }
  | { readonly folder: string; readonly names?: never };

/** How proxies get their configuration. */
export interface DistributionConfig {
  readonly compile: CompileData;
  /** PILOT_PUSH_THROTTLE */
  readonly throttle: number;
  /** PILOT_DISTRIBUTION_HISTORY_RETENTION; absent: versions at proxies are not tracked. */
  readonly trackedMs?: number | undefined;
  /** PILOT_DEBUG_ADSZ_CONFIG: keeps the whole configuration that each proxy has acknowledged. */
  readonly keepsAcknowledged?: boolean;
  /** Where spans of pushes go; absent: nowhere. */
  readonly traces?: OtlpSettings | undefined;
  /** Proxies may connect from addresses that their workloads do not have. */
  readonly takesAnyAddress: boolean;
  /** Hosts that key sets may be fetched from even if their addresses are private; the mesh configuration can change them. */
  readonly jwksAllowedHosts: readonly string[];
  /** How often key sets are fetched again, in milliseconds; absent: the usual 20 minutes. */
  readonly keyRefreshMs?: number;
  /** A stream is closed if its client does not answer a response for so many milliseconds; absent: 5 minutes. */
  readonly staleMs?: number;
  /** Path of the compile thread's program; absent: the one beside ours. */
  readonly program?: string;
  /** Largest heap of the compile thread in MiB; absent: V8's default. */
  readonly heapMiB?: number;
}

/** Where the names of the mesh are served. */
export interface DnsConfig {
  /** DNS_ADDR: over UDP and TCP; absent: nowhere. */
  readonly plain: Address | undefined;
  /** Over TLS; absent: nowhere. */
  readonly tls: Address | undefined;
  /** Nobody asked for an address that cannot be had: the control plane runs without it. */
  readonly isUsual: { readonly plain: boolean; readonly tls: boolean };
}

/** Everything that `meshd serve` runs with, settled by flags and variables. */
export interface ControlConfig {
  readonly trustDomain: string;
  /** Sources of the mesh configuration, which is watched; absent: there is none. */
  readonly settings?: SettingsOptions;
  /** Undefined: ENABLE_CA_SERVER is false. */
  readonly authority: AuthorityConfig | undefined;
  /** Undefined: no TLS listener. */
  readonly secure:
    | {
        readonly address: Address;
        readonly certificate: ServerCertificateConfig;
        readonly maxMessageBytes: number;
        readonly maxStreams: number;
        readonly connections?: ConnectionLimits;
      }
    | undefined;
  /** Undefined: no configuration is served. */
  readonly distribution?: DistributionConfig | undefined;
  /** Absent: DNS is not served. */
  readonly dns?: DnsConfig | undefined;
  /** The cluster whose objects are served, and which has the CA's Secrets; absent: files are used. */
  readonly replica?: ReplicaConfig | undefined;
  /** Namespaces of that cluster that get the roots of the CA in a ConfigMap; empty: all; absent: none. */
  readonly rootNamespaces?: readonly string[] | undefined;
  /** Path of a Unix socket on which the state of the distribution is served; absent: none is. */
  readonly debugSocket?: string | undefined;
  /** Where the same is served over TLS to readers of namespaces, by token; absent: nowhere. */
  readonly debugAddress?: Address | undefined;
  /** Webhooks that a cluster calls before it stores an object; absent: none. */
  readonly webhooks?: WebhookConfig | undefined;
  readonly monitoring: Address;
  readonly version: string;
}
