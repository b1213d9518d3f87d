import { formatDuration } from '../../lib/duration.ts';
import type { HashPolicyIR, RouteConfigurationIR, RouteIR, VirtualHostIR } from '../ir/route.ts';
import { type Originated, placed } from './placed.ts';

/** One of `forward` and `directResponse` is set. */
export interface RouteView {
  readonly name: Originated<string>;
  readonly match: { readonly prefix: string };
  readonly forward?: {
    readonly cluster: string;
    readonly timeout: string;
    readonly hashPolicy: readonly object[];
    readonly retry?: { readonly attempts: number; readonly retryOn: string; readonly avoidPreviousHosts: boolean };
  };
  readonly directResponse?: { readonly status: number };
}

/** Its routes are tried in order. */
export interface VirtualHostView {
  readonly name: Originated<string>;
  readonly domains: readonly string[];
  readonly includeAttemptCount: boolean;
  readonly routes: readonly RouteView[];
}

/** What `routes.json.hbs` sees. */
export interface RouteConfigurationView {
  readonly name: string;
  readonly virtualHosts: readonly VirtualHostView[];
}

/** The name is that of the RDS resource. */
export function routeConfigurationView(configuration: RouteConfigurationIR): RouteConfigurationView {
  return { name: configuration.name, virtualHosts: configuration.virtualHosts.map(virtualHostView) };
}

function virtualHostView(host: VirtualHostIR): VirtualHostView {
  return {
    name: placed(host.name, host.origins),
    domains: host.domains,
    includeAttemptCount: host.includeAttemptCount,
    routes: host.routes.map(routeView),
  };
}

function routeView(route: RouteIR): RouteView {
  const { action } = route;
  const common = { name: placed(route.name, route.origins), match: route.match };
  if (action.kind === 'direct-response') return { ...common, directResponse: { status: action.status } };
  const { retry } = action;
  return {
    ...common,
    forward: {
      cluster: action.cluster,
      timeout: formatDuration(action.timeoutMs),
      hashPolicy: action.hashPolicies.map(hashPolicy),
      ...(retry === undefined
        ? {}
        : {
            retry: {
              attempts: retry.attempts,
              retryOn: retry.retryOn.join(','),
              avoidPreviousHosts: retry.avoidPreviousHosts,
            },
          }),
    },
  };
}

function hashPolicy(policy: HashPolicyIR): object {
  switch (policy.kind) {
    case 'header':
      return { header: { header_name: policy.name } };
    case 'cookie':
      return {
        cookie: {
          name: policy.name,
          ...(policy.ttlMs === undefined ? {} : { ttl: formatDuration(policy.ttlMs) }),
          ...(policy.path === undefined ? {} : { path: policy.path }),
        },
      };
    case 'source-ip':
      return { connection_properties: { source_ip: true } };
    case 'query-parameter':
      return { query_parameter: { name: policy.name } };
  }
}
