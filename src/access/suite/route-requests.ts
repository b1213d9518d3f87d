import type { MeshWorkload } from '../../contracts/mesh-file.ts';
import type { DecidingField, OriginsFile } from '../../contracts/origins-file.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { HeaderMatch } from '../lift/matchers.ts';
import type { Route, RouteTable, VirtualHost } from '../lift/route.ts';
import { withoutPort } from '../model/authority.ts';
import type { StringMatch } from '../model/string-match.ts';
import { decidersOf } from '../reason/deciders.ts';
import { keyOf, type World } from '../world.ts';
import type { CoveragePlace } from './coverage/place.ts';

/** A request in the words of a case of `meshpol test`. */
export interface RouteRequest {
  readonly from: string;
  readonly to: string;
  readonly host?: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests that may take a route, through a proxy that has it; `isBeside`: that differ from these by their path alone. */
export function* routeRequests(
  place: CoveragePlace,
  { mesh, proxies }: World,
  originsOf: (workload: string) => OriginsFile,
  isBeside: boolean,
): Iterator<RouteRequest> {
  for (const workload of sortedBy(mesh.workloads, keyOf)) {
    const routes = proxies.get(keyOf(workload))?.routes.values() ?? [];
    for (const { table, host, route } of routesIn(routes)) {
      const deciders = decidersOf(originsOf(keyOf(workload)), table.name, route.at);
      if (!deciders.some((field) => isSame(field, place))) continue;
      const own = pathFor(route.match.path);
      const paths = isBeside
        ? [`${own}x`, own.slice(0, -1), '/', '/other'].filter((path) => path.startsWith('/'))
        : [own];
      for (const domain of host.domains) {
        const target = targetOf(workload, table, withoutPort(domain));
        if (target !== undefined) for (const path of paths) yield { ...target, ...partOf(route, path) };
      }
    }
  }
}

function* routesIn(
  tables: Iterable<RouteTable>,
): Iterable<{ readonly table: RouteTable; readonly host: VirtualHost; readonly route: Route }> {
  for (const table of tables)
    for (const host of table.virtualHosts) for (const route of host.routes) yield { table, host, route };
}

function isSame(a: DecidingField, b: DecidingField): boolean {
  const fields = ['kind', 'namespace', 'name', 'field', 'file'] as const;
  return fields.every((field) => a[field] === b[field]);
}

/** From the workload itself, or to it where it is a gateway; undefined where no client can name the domain. */
function targetOf({ namespace, name, role }: MeshWorkload, { name: table }: RouteTable, domain: string) {
  const [port] = /\d+$/.exec(table) ?? [];
  if (role === 'router') {
    const host = domain === '*' ? 'example.com' : domain.replace(/^\*/, 'example');
    return port === undefined ? undefined : { from: 'outside', to: `${namespace}/${name}:${port}`, host };
  }
  if (domain.includes('*') || port === undefined) return undefined;
  return { from: `${namespace}/${name}`, to: `${domain}:${port}` };
}

function partOf({ match: { headers, parameters } }: Route, path: string): Omit<RouteRequest, 'from' | 'to'> {
  const wanted = headers.filter(({ isInverted, name }) => !isInverted && !/^:(?!method)/.test(name));
  const method = wanted.find(({ name }) => name === ':method');
  const others = wanted.filter(({ name }) => name !== ':method');
  const query = parameters.map(({ name, match }) => `${name}=${valueFor(match)}`).join('&');
  return {
    ...(method !== undefined && { method: valueFor(method.match) }),
    path: query === '' ? path : `${path}?${query}`,
    ...(others.length > 0 && { headers: Object.fromEntries(others.map(({ name, match }) => [name, valueFor(match)])) }),
  };
}

/** Of an expression it is a guess. */
function valueFor(match: HeaderMatch['match']): string {
  return match === 'present' || match.kind === 'regex' ? 'example' : match.value;
}

function pathFor({ kind, value }: StringMatch): string {
  if (kind === 'exact' || kind === 'prefix') return value;
  return kind === 'suffix' || kind === 'contains' ? `/${value.replace(/^\//, '')}` : '/example';
}
