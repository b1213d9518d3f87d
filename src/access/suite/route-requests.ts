import type { MeshWorkload } from '../../contracts/mesh-file.ts';
import type { DecidingField, OriginsFile } from '../../contracts/origins-file.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { HeaderMatch } from '../lift/matchers.ts';
import type { Route, RouteTable, VirtualHost } from '../lift/route.ts';
import { withoutPort } from '../model/authority.ts';
import type { StringMatch } from '../model/string-match.ts';
import { decidersOf } from '../reason/deciders.ts';
import { keyOf, type World } from '../world.ts';
import { isRoute } from './coverage/tally.ts';

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
  place: DecidingField,
  world: World,
  originsOf: (workload: string) => OriginsFile,
  isBeside: boolean,
): Iterator<RouteRequest> {
  for (const { workload, table, host, route } of placedRoutes(world, originsOf).get(placeKey(place)) ?? []) {
    const own = pathFor(route.match.path);
    const paths = isBeside
      ? [`${own}x`, own.slice(0, -1), '/', '/other'].filter((path) => path.startsWith('/'))
      : [own];
    for (const domain of host.domains) {
      const target = targetOf(workload, table, withoutPort(domain));
      if (target === undefined || asksForSecret(route)) continue;
      for (const path of paths) yield { ...target, ...partOf(route, path) };
    }
  }
}

interface PlacedRoute {
  readonly workload: MeshWorkload;
  readonly table: RouteTable;
  readonly host: VirtualHost;
  readonly route: Route;
}

/** Of one field: those of the other proxies are the same, but for what is in force at these clients. */
const mostRoutes = 32;

const placed = new WeakMap<World, ReadonlyMap<string, readonly PlacedRoute[]>>();

/** By the field that a route was made from. */
function placedRoutes(
  world: World,
  originsOf: (workload: string) => OriginsFile,
): ReadonlyMap<string, readonly PlacedRoute[]> {
  const known = placed.get(world);
  if (known !== undefined) return known;
  const found = new Map<string, PlacedRoute[]>();
  for (const workload of sortedBy(world.mesh.workloads, keyOf)) {
    const origins = originsOf(keyOf(workload));
    for (const table of world.proxies.get(keyOf(workload))?.routes.values() ?? []) {
      for (const host of table.virtualHosts) {
        for (const route of host.routes) {
          for (const field of decidersOf(origins, table.name, route.at).filter(isRoute)) {
            const routes = found.get(placeKey(field)) ?? [];
            found.set(placeKey(field), routes);
            if (routes.length < mostRoutes) routes.push({ workload, table, host, route });
          }
        }
      }
    }
  }
  placed.set(world, found);
  return found;
}

function placeKey({ kind, namespace, name, field, file }: DecidingField): string {
  return JSON.stringify([kind, namespace, name, field, file]);
}

/** From the workload itself, or to it where it is a gateway; undefined where no client can name the domain. */
function targetOf({ namespace, name, role }: MeshWorkload, { name: table }: RouteTable, domain: string) {
  if (role === 'router') {
    // Tables of HTTPS have other names: no request in plain text gets there.
    const port = /^http\.(\d+)$/.exec(table)?.[1];
    const host = domain === '*' ? 'example.com' : domain.replace(/^\*/, 'example');
    return port === undefined ? undefined : { from: 'outside', to: `${namespace}/${name}:${port}`, host };
  }
  const [port] = /\d+$/.exec(table) ?? [];
  if (domain.includes('*') || port === undefined) return undefined;
  return { from: `${namespace}/${name}`, to: `${domain}:${port}` };
}

/** A test file is read by more people than a policy: what may be a secret is not copied. */
function asksForSecret({ match: { headers } }: Route): boolean {
  return headers.some(({ name, match, isInverted }) => secretHeaders.has(name) && match !== 'present' && !isInverted);
}

const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

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
