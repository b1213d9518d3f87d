import { append } from '../../lib/append.ts';
import { compareStrings } from '../../lib/sort.ts';
import type { RequestRoute } from '../../policy/gateway-api.ts';
import type { MeshObject, WrittenField } from '../../policy/object.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { subsetOf } from '../topology/host.ts';
import type { Attachment } from './attachment.ts';
import { grpcParts, grpcRank } from './grpc-match.ts';
import { httpParts, httpRank } from './http-match.ts';
import type { HttpRules, MadeRoute } from './http-rules.ts';
import type { ServedListener } from './listeners.ts';
import { type Made, madeObject } from './made-object.ts';
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
  return listeners.flatMap((listener) => {
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
  return virtualService(listener, host, made, routes);
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

function isWithinAnother({ gateway, listener, host }: ServedListener, all: readonly ServedListener[]): boolean {
  return all.some(
    (it) => it.gateway === gateway && it.listener.port === listener.port && it.host !== host && subsetOf(host, it.host),
  );
}

function closedService(listener: ServedListener): Made<VirtualService> {
  const field = ['spec', 'listeners', listener.index];
  const http = { name: 'no-route', directResponse: { status: 404 } };
  return virtualService(
    listener,
    listener.host,
    [{ http, writtenAs: () => ({ object: listener.gateway, field }) }],
    [],
  );
}

function virtualService(
  { gateway, index, listener, made }: ServedListener,
  host: string,
  routes: readonly MadeRoute[],
  sources: readonly MeshObject<string>[],
): Made<VirtualService> {
  const { namespace, name } = made.object;
  const spec: VirtualService['spec'] = {
    hosts: [host],
    gateways: [`${namespace}/${name}`],
    exportTo: ['*'],
    http: routes.map(({ http }) => http),
  };
  const writtenAs = ([, field, entry, ...rest]: readonly (string | number)[]): WrittenField => {
    const route = field === 'http' ? routes[Number(entry)] : undefined;
    if (route !== undefined) return route.writtenAs(rest);
    const [source] = sources;
    if (source === undefined) return { object: gateway, field: ['spec', 'listeners', index] };
    return { object: source, field: ['spec', field === 'hosts' ? 'hostnames' : 'parentRefs'] };
  };
  const object = madeObject('VirtualService', { base: gateway, parts: [listener.name, host], spec }, writtenAs);
  return { object: { ...object, spec }, sources: [gateway, ...sources] };
}
