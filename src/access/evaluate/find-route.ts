import type { Route, RouteTable, VirtualHost } from '../lift/route.ts';
import { withoutPort } from '../model/authority.ts';
import { lowerCase } from '../model/bytes.ts';
import { queryValues } from '../model/query.ts';
import { isOpaqueHeader } from './blank-leaves.ts';
import { viewHeaderHolds } from './conditions.ts';
import type { RequestView } from './request-view.ts';

/** The route of a request; `unmodelled` where the table or an earlier route says something that is not understood. */
export type FoundRoute =
  | { readonly kind: 'route'; readonly table: RouteTable; readonly host: VirtualHost; readonly route: Route }
  /** With what the request or the table lacks: a scheme, its host, or a route of the host. */
  | { readonly kind: 'none'; readonly table: RouteTable; readonly lacks: 'scheme' | 'host' | VirtualHost }
  | { readonly kind: 'unmodelled'; readonly at: string };

/** The route that a connection manager chooses, before any filter sees the request. */
export function findRoute(table: RouteTable | undefined, view: RequestView): FoundRoute {
  if (table === undefined) return { kind: 'unmodelled', at: 'rds' };
  if (table.gap !== undefined) return { kind: 'unmodelled', at: table.gap };
  if (view.blanks?.knows.authority === false) return { kind: 'unmodelled', at: 'the host of the request' };
  // It has no scheme then, and a request without one has no route.
  const isEmpty = view.headers.first('x-forwarded-proto') === '' && !view.opaque.includes('x-forwarded-proto');
  if (isEmpty) return { kind: 'none', table, lacks: 'scheme' };
  const authority = lowerCase(view.authority);
  const host = findVirtualHost(table.virtualHosts, table.ignoresPort ? withoutPort(authority) : authority);
  if (host === undefined) return { kind: 'none', table, lacks: 'host' };
  for (const route of host.routes) {
    if (route.gap !== undefined) return { kind: 'unmodelled', at: route.gap };
    if (!takes(route, view)) continue;
    const unknown = route.match.headers.find((header) => isOpaqueHeader(header, view));
    if (unknown === undefined) return { kind: 'route', table, host, route };
    return { kind: 'unmodelled', at: `a route by the header ${unknown.name}, whose value only the proxy knows` };
  }
  return { kind: 'none', table, lacks: host };
}

/** The domain itself, then the longest `*.suffix`, then the longest `prefix.*`, then `*`. */
function findVirtualHost(hosts: readonly VirtualHost[], authority: string): VirtualHost | undefined {
  const { byDomain, wild, any } = hostIndex(hosts);
  const exact = byDomain.get(authority);
  if (exact !== undefined) return exact;
  return longestWild(wild, authority) ?? any;
}

function longestWild(wild: HostIndex['wild'], authority: string): VirtualHost | undefined {
  if (wild.length === 0) return undefined;
  // A wildcard stands for at least one character.
  const long = wild.filter(({ domain }) => authority.length >= domain.length);
  const found =
    long.find(({ domain }) => domain.startsWith('*') && authority.endsWith(domain.slice(1))) ??
    long.find(({ domain }) => domain.endsWith('*') && authority.startsWith(domain.slice(0, -1)));
  return found?.host;
}

interface HostIndex {
  /** The first host of each domain, by the text of the domain. */
  readonly byDomain: ReadonlyMap<string, VirtualHost>;
  /** Domains with a star and more, the longest first. */
  readonly wild: readonly { readonly host: VirtualHost; readonly domain: string }[];
  /** Of the domain `*`. */
  readonly any: VirtualHost | undefined;
}

const indexes = new WeakMap<readonly VirtualHost[], HostIndex>();

function hostIndex(hosts: readonly VirtualHost[]): HostIndex {
  const known = indexes.get(hosts);
  if (known !== undefined) return known;
  const byDomain = new Map<string, VirtualHost>();
  const found = hosts.flatMap((host) => host.domains.map((domain) => ({ host, domain })));
  for (const { host, domain } of found) if (!byDomain.has(domain)) byDomain.set(domain, host);
  const wild = found
    .sort((a, b) => b.domain.length - a.domain.length)
    .filter(({ domain }) => /^[*].|.[*]$/.test(domain));
  const index = { byDomain, wild, any: byDomain.get('*') };
  indexes.set(hosts, index);
  return index;
}

/** Headers come last: they may be unknown, and need not be where the rest does not match. */
function takes({ match }: Route, view: RequestView): boolean {
  if (!match.path.matches(view.barePath)) return false;
  for (const { name, match: wanted } of match.parameters) {
    const [value] = queryValues(view.path, name, { unescapes: false });
    if (value === undefined || (wanted !== 'present' && !wanted.matches(value))) return false;
  }
  for (const header of match.headers) {
    if (!isOpaqueHeader(header, view) && !viewHeaderHolds(header, view)) return false;
  }
  return true;
}
