import { append } from '../../lib/append.ts';
import { compareStrings } from '../../lib/sort.ts';
import type { RequestRoute } from '../../policy/gateway-api.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import type { Attachment } from './attachment.ts';
import { grpcParts, grpcRank } from './grpc-match.ts';
import { httpParts, httpRank } from './http-match.ts';
import type { HttpRules } from './http-rules.ts';
import { isWithinAnother, type ServedListener } from './listeners.ts';
import type { Made } from './made-object.ts';
import { madeService } from './made-service.ts';
import { byPrecedence, type RankedMatch } from './precedence.ts';

/**
 * For each listener and host one VirtualService with all matches of the routes for it, in order of precedence. A listener
 * beside a wider one of its port answers what no route takes itself, so that the wider one does not.
 */
export function httpServices(
  listeners: readonly ServedListener[],
  attachments: readonly Attachment<RequestRoute>[],
  rules: HttpRules,
): readonly Made<VirtualService>[] {
  const ofRequests = listeners.filter(({ listener }) => listener.protocol !== 'TLS');
  return ofRequests.flatMap((listener) => {
    const byHost = new Map<string, RequestRoute[]>();
    for (const it of attachments.filter((one) => one.listener === listener)) {
      for (const host of it.hosts) append(byHost, host, it.route);
    }
    const made = [...byHost]
      .sort(([a], [b]) => compareStrings(a, b))
      .map(([host, routes]) => serviceFor(listener, host, routes, rules));
    const isLast = !byHost.has(listener.host) && isWithinAnother(listener, listeners);
    return isLast ? [...made, closedService(listener)] : made;
  });
}

function serviceFor(
  listener: ServedListener,
  host: string,
  routes: readonly RequestRoute[],
  rules: HttpRules,
): Made<VirtualService> {
  const matches = routes.flatMap(rankedMatches).sort(byPrecedence);
  const made = matches.flatMap((ranked) => rules.routesOf(ranked, listener));
  return madeService(listener, host, { http: made.map(({ http }) => http) }, { parts: made, sources: routes });
}

function rankedMatches(route: RequestRoute): readonly RankedMatch[] {
  return route.kind === 'HTTPRoute'
    ? eachMatch(route, (it) => ({ rank: httpRank(it), parts: httpParts(it) }))
    : eachMatch(route, (it) => ({ rank: grpcRank(it), parts: grpcParts(it) }));
}

/** A rule without a match has one that holds for every request. */
function eachMatch<Match extends object>(
  route: RequestRoute & { readonly spec: { readonly rules: readonly { readonly matches?: readonly Match[] }[] } },
  meaningOf: (match: Match | Record<never, never>) => Pick<RankedMatch, 'rank' | 'parts'>,
): readonly RankedMatch[] {
  return route.spec.rules.flatMap(({ matches = [] }, rule) =>
    (matches.length === 0 ? [{}] : matches).map((it, match) => ({ route, rule, match, ...meaningOf(it) })),
  );
}

function closedService(listener: ServedListener): Made<VirtualService> {
  return madeService(listener, listener.host, { http: [{ name: 'no-route', directResponse: { status: 404 } }] });
}
