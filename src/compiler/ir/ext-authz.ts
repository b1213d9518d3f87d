import type { Origins } from './origin.ts';

interface AuthorizerIR {
  readonly cluster: string;
  readonly timeoutMs: number;
}

/** Asks an external authorizer about what the shadow rules before it matched. */
export interface ExtAuthzIR {
  readonly kind: 'ext-authz';
  /** Name of the provider in the mesh configuration. */
  readonly provider: string;
  readonly authorizer:
    | (AuthorizerIR & { readonly protocol: 'grpc'; readonly authority: string })
    | (AuthorizerIR & {
        readonly protocol: 'http';
        readonly uri: string;
        readonly pathPrefix: string;
        readonly headersToAuthorizer: readonly string[];
        readonly headersToUpstream: readonly string[];
        readonly headersToDownstreamOnDeny: readonly string[];
      });
  /** Start of the names of the shadow rules that ask this provider. */
  readonly policyPrefix: string;
  /** Let pass while the authorizer is away; only when the mesh configuration says so. */
  readonly failOpen: boolean;
  readonly statusOnError: number;
  readonly requestBody: { readonly maxBytes: number; readonly allowPartial: boolean } | undefined;
  readonly origins: Origins;
}
