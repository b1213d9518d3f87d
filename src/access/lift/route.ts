import type { Fragment } from '../../envoy/api/fragment.ts';
import { StringMatch } from '../model/string-match.ts';
import { type HeaderChanges, liftHeaderChanges } from './header-changes.ts';
import { type HeaderMatch, liftHeaderMatch, liftStringMatch } from './matchers.ts';
import { Gaps, Message } from './message.ts';
import { liftRouteAction, type RouteAction } from './route-action.ts';
import { liftRouteFilters, type RouteFilters } from './route-filters.ts';

/** Conditions of a route for requests. */
export interface RouteMatch {
  /** Of the path without its query. */
  readonly path: StringMatch;
  readonly headers: readonly HeaderMatch[];
  readonly parameters: readonly { readonly name: string; readonly match: StringMatch | 'present' }[];
}

export interface Route {
  readonly name: string;
  readonly match: RouteMatch;
  readonly action: RouteAction;
  readonly headers: HeaderChanges;
  readonly filters: RouteFilters;
  readonly at: Fragment;
  readonly gap: string | undefined;
}

export interface VirtualHost {
  readonly name: string;
  readonly domains: readonly string[];
  readonly routes: readonly Route[];
  /** Whether requests go on with the number of their attempt. */
  readonly countsAttempts: boolean;
  readonly at: Fragment;
}

/** Route table of a connection manager. */
export interface RouteTable {
  readonly name: string;
  readonly virtualHosts: readonly VirtualHost[];
  readonly ignoresPort: boolean;
  /** Whether what a route changes in a header counts more than what the table does. */
  readonly specificWins: boolean;
  readonly headers: HeaderChanges;
  readonly at: Fragment;
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
    countsAttempts: host.flag('include_request_attempt_count'),
    at: host.fragment,
  }));
  return {
    name: message.text('name'),
    virtualHosts,
    headers: liftHeaderChanges(message),
    specificWins: message.flag('most_specific_header_mutations_wins'),
    ignoresPort: message.flag('ignore_port_in_host_matching'),
    at: message.fragment,
    gap: message.gaps.first,
  };
}

function liftRoute(message: Message): Route {
  return {
    name: message.text('name'),
    match: liftRouteMatch(message.message('match', `${route}.RouteMatch`)),
    action: liftRouteAction(message),
    headers: liftHeaderChanges(message, 'request_headers_to_add'),
    filters: liftRouteFilters(message),
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
