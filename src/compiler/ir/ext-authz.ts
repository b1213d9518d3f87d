import type { Origins } from './origin.ts';
import type { StringMatchIR } from './string-match.ts';

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
        /** Names of headers, beside those that are always sent: method, path, host and `Authorization`. */
        readonly headersToAuthorizer: readonly StringMatchIR[];
        /** Sent with each question, sorted by name. */
        readonly headersToAdd: readonly { readonly name: string; readonly value: string }[];
        readonly headersToUpstream: readonly StringMatchIR[];
        readonly headersToDownstreamOnAllow: readonly StringMatchIR[];
        /** Empty passes all of them on. */
        readonly headersToDownstreamOnDeny: readonly StringMatchIR[];
      });
  /** Statistics prefix of the shadow rules that ask this provider: the first part of their metadata's key. */
  readonly shadowStatPrefix: string;
  /** Start of the names of these rules. */
  readonly policyPrefix: string;
  /** Let pass while the authorizer is away; only when the mesh configuration says so. */
  readonly failOpen: boolean;
  readonly statusOnError: number;
  /** The route is chosen again after the authorizer changed headers. */
  readonly clearRouteCache: boolean;
  readonly requestBody:
    | { readonly maxBytes: number; readonly allowPartial: boolean; readonly asBytes: boolean }
    | undefined;
  readonly origins: Origins;
}
