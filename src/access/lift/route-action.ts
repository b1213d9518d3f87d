import { type HeaderChanges, liftHeaderChanges } from './header-changes.ts';
import type { Message } from './message.ts';

/** What a route writes into the path in place of what it matched, or of all that a regular expression finds. */
export type PathRewrite =
  | { readonly kind: 'prefix'; readonly to: string }
  | { readonly kind: 'regex'; readonly pattern: string; readonly substitution: string };

/** One cluster that a route may choose. */
export interface RouteTarget {
  readonly name: string;
  readonly weight: number;
  /** Authority in place of the client's. */
  readonly authority: string | undefined;
  readonly headers: HeaderChanges;
}

/** Action of a route. */
export type RouteAction =
  | {
      readonly kind: 'forward';
      readonly clusters: readonly RouteTarget[];
      readonly path: PathRewrite | undefined;
      readonly authority: string | undefined;
    }
  | { readonly kind: 'answer' | 'redirect'; readonly status: number };

const route = 'envoy.config.route.v3';

/** Of Envoy's `Route`. */
export function liftRouteAction(message: Message): RouteAction {
  if (message.has('redirect')) {
    const redirect = message.message('redirect', `${route}.RedirectAction`);
    return { kind: 'redirect', status: redirectStatuses[redirect.text('response_code')] ?? 301 };
  }
  if (message.has('direct_response')) {
    const answer = message.message('direct_response', `${route}.DirectResponseAction`);
    return { kind: 'answer', status: answer.number('status') ?? 0 };
  }
  const forward = message.message('route', `${route}.RouteAction`);
  return {
    kind: 'forward',
    clusters: liftTargets(forward),
    path: liftPathRewrite(forward),
    authority: forward.text('host_rewrite_literal') || undefined,
  };
}

function liftTargets(forward: Message): readonly RouteTarget[] {
  const none: HeaderChanges = { removed: [], added: [] };
  if (forward.has('cluster')) {
    return [{ name: forward.text('cluster'), weight: 1, authority: undefined, headers: none }];
  }
  if (!forward.has('weighted_clusters')) forward.refuse('cluster');
  return forward
    .message('weighted_clusters', `${route}.WeightedCluster`)
    .messages('clusters', `${route}.WeightedCluster.ClusterWeight`)
    .map((cluster) => ({
      name: cluster.text('name'),
      weight: cluster.number('weight') ?? 0,
      authority: cluster.text('host_rewrite_literal') || undefined,
      headers: liftHeaderChanges(cluster, 'request_headers_to_add'),
    }));
}

function liftPathRewrite(forward: Message): PathRewrite | undefined {
  if (forward.has('prefix_rewrite')) return { kind: 'prefix', to: forward.text('prefix_rewrite') };
  if (!forward.has('regex_rewrite')) return undefined;
  const rewrite = forward.message('regex_rewrite', 'envoy.type.matcher.v3.RegexMatchAndSubstitute');
  return {
    kind: 'regex',
    pattern: rewrite.message('pattern', 'envoy.type.matcher.v3.RegexMatcher').text('regex'),
    substitution: rewrite.text('substitution'),
  };
}

const redirectStatuses: Readonly<Record<string, number>> = {
  FOUND: 302,
  SEE_OTHER: 303,
  TEMPORARY_REDIRECT: 307,
  PERMANENT_REDIRECT: 308,
};
