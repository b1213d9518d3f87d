import type { Origins } from './origin.ts';

export interface RetryPolicyIR {
  readonly attempts: number;
  readonly retryOn: readonly string[];
  readonly avoidPreviousHosts: boolean;
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

export type RouteActionIR =
  | {
      readonly kind: 'cluster';
      readonly cluster: string;
      /** 0 disables. */
      readonly timeoutMs: number;
      readonly retry: RetryPolicyIR | undefined;
      readonly hashPolicies: readonly HashPolicyIR[];
    }
  | { readonly kind: 'direct-response'; readonly status: number };

export interface RouteIR {
  readonly name: string;
  readonly match: { readonly prefix: string };
  readonly action: RouteActionIR;
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
}
