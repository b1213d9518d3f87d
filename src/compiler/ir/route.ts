import type { HeaderChangesIR } from './header-changes.ts';
import type { Origins } from './origin.ts';
import type { CorsIR, FaultIR } from './route-features.ts';
import type { RouteMatchIR } from './route-match.ts';

export interface RetryPolicyIR {
  readonly attempts: number;
  readonly retryOn: readonly string[];
  readonly avoidPreviousHosts: boolean;
  /** Statuses that `retriable-status-codes` means. */
  readonly statuses?: readonly number[];
  readonly perTryTimeoutMs?: number;
  /** Time before the first retry; it grows from there. */
  readonly backoffMs?: number;
  /** A retry may go to a locality that the first try would not have used. */
  readonly triesOtherLocalities?: boolean;
}

/** What the hash of a consistent-hash cluster is taken over. */
export type HashPolicyIR =
  | { readonly kind: 'header'; readonly name: string }
  | {
      readonly kind: 'cookie';
      readonly name: string;
      readonly path: string | undefined;
      readonly ttlMs: number | undefined;
    }
  | { readonly kind: 'source-ip' }
  | { readonly kind: 'query-parameter'; readonly name: string };

/** How the path changes on its way; the query stays. */
export type PathRewriteIR =
  /** The whole path, for exact and regex matches. */
  | { readonly kind: 'whole'; readonly path: string }
  /** RE2 pattern and its replacement, in which `\1` is the first group. */
  | { readonly kind: 'regex'; readonly pattern: string; readonly substitution: string };

/** A copy of requests, whose answers nobody sees. */
export interface MirrorIR {
  readonly cluster: string;
  readonly percent: number;
}

/** One of several destinations; a weight is relative to their sum. */
export interface WeightedClusterIR {
  readonly cluster: string;
  readonly weight: number;
  readonly authority?: string;
  readonly requestHeaders?: HeaderChangesIR;
  readonly responseHeaders?: HeaderChangesIR;
}

/** What holds for a request wherever it is sent. */
export interface ForwardIR {
  /** 0 disables. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicyIR | undefined;
  readonly hashPolicies: readonly HashPolicyIR[];
  readonly rewrite?: PathRewriteIR;
  /** Takes the place of the host. */
  readonly authority?: string;
  readonly mirrors?: readonly MirrorIR[];
}

export type RouteActionIR =
  | ({ readonly kind: 'cluster'; readonly cluster: string } & ForwardIR)
  /** At least two, each with a weight above 0. */
  | ({ readonly kind: 'weighted-clusters'; readonly clusters: readonly WeightedClusterIR[] } & ForwardIR)
  | RedirectIR
  | DirectResponseIR;

/** What is absent stays as requested. */
export interface RedirectIR {
  readonly kind: 'redirect';
  readonly status: 301 | 302 | 303 | 307 | 308;
  readonly scheme?: string;
  readonly host?: string;
  readonly port?: number;
  /** The query stays. */
  readonly path?: string;
}

export interface DirectResponseIR {
  readonly kind: 'direct-response';
  readonly status: number;
  /** Text, or bytes in Base64. */
  readonly body?: { readonly text: string } | { readonly base64: string };
}

export interface RouteIR {
  readonly name: string;
  readonly match: RouteMatchIR;
  readonly action: RouteActionIR;
  readonly requestHeaders?: HeaderChangesIR;
  readonly responseHeaders?: HeaderChangesIR;
  readonly fault?: FaultIR;
  readonly cors?: CorsIR;
  /** Gives the route metrics of its own. */
  readonly statPrefix?: string;
  readonly origins: Origins;
}

export interface VirtualHostIR {
  readonly name: string;
  readonly domains: readonly string[];
  readonly routes: readonly RouteIR[];
  readonly includeAttemptCount: boolean;
  readonly origins: Origins;
}

export interface RouteConfigurationIR {
  readonly name: string;
  readonly virtualHosts: readonly VirtualHostIR[];
  /** Of clients; sorted. Absent: none. */
  readonly requestHeadersToRemove?: readonly string[];
}
