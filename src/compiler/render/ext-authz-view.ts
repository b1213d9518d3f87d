import { formatDuration } from '../../lib/duration.ts';
import type { ExtAuthzIR } from '../ir/ext-authz.ts';
import type { StringMatchIR } from '../ir/string-match.ts';
import { stringMatcher } from './matcher-view.ts';
import { type Originated, placed } from './placed.ts';
import { type Present, present, presentOrNone } from './present.ts';

/** Envoy's ListStringMatcher; absent for no name. */
type NamesView = { readonly patterns: readonly object[] } | undefined;

/** What `http-ext-authz` and `network-ext-authz` place; one of `grpc` and `http` is set. */
export interface ExtAuthzView {
  readonly statPrefix: Originated<string>;
  /** Envoy's MetadataMatcher: asked only about what the shadow rules matched. */
  readonly enabledMetadata: object;
  readonly failureModeAllow: boolean;
  readonly statusOnError: number;
  readonly clearRouteCache: boolean;
  readonly requestBody?: object;
  readonly grpc?: { readonly cluster: string; readonly authority: string; readonly timeout: string };
  readonly http?: {
    readonly uri: string;
    readonly cluster: string;
    readonly timeout: string;
    readonly pathPrefix: string;
    /** Envoy's AuthorizationRequest and AuthorizationResponse. */
    readonly request?: object;
    readonly response?: object;
  };
  readonly allowedHeaders?: object;
}

/** `level` says which RBAC filter left the metadata. */
export function extAuthzView(filter: ExtAuthzIR, level: 'http' | 'network'): ExtAuthzView {
  const { authorizer, requestBody } = filter;
  const timeout = formatDuration(authorizer.timeoutMs);
  return {
    statPrefix: placed(filter.provider, filter.origins),
    enabledMetadata: {
      filter: `envoy.filters.${level}.rbac`,
      path: [{ key: `${filter.shadowStatPrefix}shadow_effective_policy_id` }],
      value: { string_match: { prefix: filter.policyPrefix } },
    },
    failureModeAllow: filter.failOpen,
    statusOnError: filter.statusOnError,
    clearRouteCache: filter.clearRouteCache,
    ...(requestBody === undefined
      ? {}
      : {
          requestBody: {
            max_request_bytes: requestBody.maxBytes,
            allow_partial_message: requestBody.allowPartial,
            pack_as_bytes: requestBody.asBytes,
          },
        }),
    ...(authorizer.protocol === 'grpc'
      ? { grpc: { cluster: authorizer.cluster, authority: authorizer.authority, timeout } }
      : httpService(authorizer, timeout)),
  };
}

type HttpAuthorizer = Extract<ExtAuthzIR['authorizer'], { protocol: 'http' }>;

function httpService(authorizer: HttpAuthorizer, timeout: string): Pick<ExtAuthzView, 'http' | 'allowedHeaders'> {
  const { uri, cluster, pathPrefix, headersToAdd } = authorizer;
  const added = headersToAdd.map(({ name, value }) => ({ key: name, value }));
  const request = presentOrNone({ headers_to_add: added.length === 0 ? undefined : added });
  const response = presentOrNone({
    allowed_upstream_headers: names(authorizer.headersToUpstream),
    allowed_client_headers: names(authorizer.headersToDownstreamOnDeny),
    allowed_client_headers_on_success: names(authorizer.headersToDownstreamOnAllow),
  });
  const http: Present<{ request: object | undefined; response: object | undefined }> = present({ request, response });
  const allowed = names(authorizer.headersToAuthorizer);
  return {
    http: { uri, cluster, timeout, pathPrefix, ...http },
    ...(allowed === undefined ? {} : { allowedHeaders: allowed }),
  };
}

function names(patterns: readonly StringMatchIR[]): NamesView {
  return patterns.length === 0 ? undefined : { patterns: patterns.map(stringMatcher) };
}
