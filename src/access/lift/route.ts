import type { Fragment } from '../../envoy/api/fragment.ts';
import { StringMatch } from '../model/string-match.ts';
import { type HeaderMatch, liftHeaderMatch, liftStringMatch } from './matchers.ts';
import { Gaps, Message } from './message.ts';

/** Conditions of a route for requests. */
export interface RouteMatch {
  /** Of the path without its query. */
  readonly path: StringMatch;
  readonly headers: readonly HeaderMatch[];
  readonly parameters: readonly { readonly name: string; readonly match: StringMatch | 'present' }[];
}

/** Action of a route. */
export type RouteAction =
  | { readonly kind: 'forward'; readonly clusters: readonly { readonly name: string; readonly weight: number }[] }
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'redirect'; readonly status: number };

export interface Route {
  readonly name: string;
  readonly match: RouteMatch;
  readonly action: RouteAction;
  readonly at: Fragment;
  readonly gap: string | undefined;
}

export interface VirtualHost {
  readonly name: string;
  readonly domains: readonly string[];
  readonly routes: readonly Route[];
}

/** Route table of a connection manager. */
export interface RouteTable {
  readonly name: string;
  readonly virtualHosts: readonly VirtualHost[];
  readonly ignoresPort: boolean;
  readonly gap: string | undefined;
}

const route = 'envoy.config.route.v3';

/** Envoy's `RouteConfiguration`. */
export function liftRouteTable(fragment: Fragment): RouteTable {
  const message = new Message(`${route}.RouteConfiguration`, fragment, new Gaps());
  const virtualHosts = message.messages('virtual_hosts', `${route}.VirtualHost`).map((host) => ({
    name: host.text('name'),
    domains: host.texts('domains').map((domain) => domain.toLowerCase()),
    routes: host.parts('routes', `${route}.Route`).map(liftRoute),
  }));
  return {
    name: message.text('name'),
    virtualHosts,
    ignoresPort: message.flag('ignore_port_in_host_matching'),
    gap: message.gaps.first,
  };
}

function liftRoute(message: Message): Route {
  return {
    name: message.text('name'),
    match: liftRouteMatch(message.message('match', `${route}.RouteMatch`)),
    action: liftAction(message),
    at: message.fragment,
    gap: message.gaps.first,
  };
}

/** Envoy's `RouteMatch`. */
export function liftRouteMatch(message: Message): RouteMatch {
  return {
    path: liftPath(message),
    headers: message.messages('headers', `${route}.HeaderMatcher`).map(liftHeaderMatch),
    parameters: message.messages('query_parameters', `${route}.QueryParameterMatcher`).map((parameter) => ({
      name: parameter.text('name'),
      match: parameter.has('string_match')
        ? liftStringMatch(parameter.message('string_match', 'envoy.type.matcher.v3.StringMatcher'))
        : ('present' as const),
    })),
  };
}

function liftPath(message: Message): StringMatch {
  const ignoresCase = message.has('case_sensitive') && !message.flag('case_sensitive');
  if (message.has('prefix')) return new StringMatch('prefix', message.text('prefix'), ignoresCase);
  if (message.has('path')) return new StringMatch('exact', message.text('path'), ignoresCase);
  if (!message.has('safe_regex')) message.refuse('prefix');
  return new StringMatch('regex', message.message('safe_regex', 'envoy.type.matcher.v3.RegexMatcher').text('regex'));
}

function liftAction(message: Message): RouteAction {
  if (message.has('redirect')) {
    const redirect = message.message('redirect', `${route}.RedirectAction`);
    return { kind: 'redirect', status: redirectStatuses[redirect.text('response_code')] ?? 301 };
  }
  if (message.has('direct_response')) {
    const answer = message.message('direct_response', `${route}.DirectResponseAction`);
    return { kind: 'answer', status: answer.number('status') ?? 0 };
  }
  const forward = message.message('route', `${route}.RouteAction`);
  if (forward.has('cluster')) return { kind: 'forward', clusters: [{ name: forward.text('cluster'), weight: 1 }] };
  if (!forward.has('weighted_clusters')) message.refuse('route');
  const clusters = forward
    .message('weighted_clusters', `${route}.WeightedCluster`)
    .messages('clusters', `${route}.WeightedCluster.ClusterWeight`)
    .map((cluster) => ({ name: cluster.text('name'), weight: cluster.number('weight') ?? 0 }));
  return { kind: 'forward', clusters };
}

const redirectStatuses: Readonly<Record<string, number>> = {
  FOUND: 302,
  SEE_OTHER: 303,
  TEMPORARY_REDIRECT: 307,
  PERMANENT_REDIRECT: 308,
};
