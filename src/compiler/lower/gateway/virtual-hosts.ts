import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { writtenField } from '../../../policy/written-field.ts';
import type { Origins } from '../../ir/origin.ts';
import type { RouteConfigurationIR, RouteIR, VirtualHostIR } from '../../ir/route.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { compareSpecificity, mostSpecific } from '../../topology/host.ts';
import { bracketed } from '../names.ts';
import { joinOrigins, noOrigins, objectOrigin } from '../origins.ts';
import { everyRequest, isEveryRequest } from '../routes/route-match.ts';
import { commonHosts } from './hosts.ts';
import { type GatewayServer, gatewayKey, isRedirect } from './server.ts';
import type { HostOwners } from './server-names.ts';

/** What a route table is made from. */
export interface RouteTableInput {
  readonly name: string;
  /** Number of the server port, which routes see. */
  readonly port: number;
  readonly servers: readonly GatewayServer[];
  /** Bound to the Gateway, oldest first. */
  readonly boundTo: (gateway: string) => readonly EffectiveVirtualService[];
  readonly routesOf: (virtualService: EffectiveVirtualService, gateway: string) => readonly RouteIR[];
  readonly clusterDomain: string;
  /** Of the TLS port; undefined where hosts are not told apart before requests are seen. */
  readonly owners: HostOwners | undefined;
  /** Port on which a host is served over TLS. */
  readonly securePortOf: (host: string) => number;
}

interface HostDraft {
  readonly routes: RouteIR[];
  readonly redirect: RouteIR | undefined;
  origins: Origins;
}

/** Headers of clients that applications take for the gateway's word, and that Envoy passes on. */
const forgedHeaders: readonly string[] = [
  'x-envoy-is-timeout-retry',
  'x-envoy-peer-metadata',
  'x-envoy-peer-metadata-id',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-original-url',
];

/** Virtual hosts of the servers that share a route table. */
export function routeTable(input: RouteTableInput, bag: DiagnosticBag): RouteConfigurationIR {
  const hosts = new Map<string, HostDraft>();
  for (const server of input.servers) {
    if (isRedirect(server)) addRedirects(hosts, server, input, bag);
    else addRoutes(hosts, server, input, bag);
  }
  const virtualHosts = [...hosts].map(([host, draft]) => virtualHost(host, draft, input.port));
  const foreign = input.owners === undefined ? undefined : misdirected(input.owners, input.servers);
  if (foreign !== undefined) virtualHosts.push(foreign);
  if (virtualHosts.length === 0) virtualHosts.push(nothing(input));
  virtualHosts.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { name: input.name, virtualHosts, requestHeadersToRemove: forgedHeaders };
}

function virtualHost(host: string, { routes, redirect, origins }: HostDraft, port: number): VirtualHostIR {
  // A route for everything takes what stands behind it, also when that is of another object.
  const narrow = routes.filter(({ match }) => !isEveryRequest(match));
  const wide = routes.filter(({ match }) => isEveryRequest(match));
  return {
    name: `${host}:${port}`,
    domains: [bracketed(host)],
    routes: redirect === undefined ? [...narrow, ...wide] : [redirect],
    includeAttemptCount: true,
    origins,
  };
}

function addRoutes(
  hosts: Map<string, HostDraft>,
  server: GatewayServer,
  input: RouteTableInput,
  bag: DiagnosticBag,
): void {
  const gateway = gatewayKey(server.gateway);
  let isServed = false;
  for (const virtualService of input.boundTo(gateway)) {
    const common = commonHosts(server, virtualService, input.clusterDomain);
    if (common.length === 0) continue;
    const routes = input.routesOf(virtualService, gateway);
    if (routes.length === 0) continue;
    isServed = true;
    const own = { decidedBy: [objectOrigin(virtualService, ['spec', 'hosts'])], overrode: [] };
    for (const host of common) {
      // Whoever asks for this name in the handshake reaches another server, perhaps one that checks its clients.
      if (input.owners?.isOwnedBy(host, server) === false) continue;
      const known = hosts.get(host);
      if (known?.redirect !== undefined) reportRedirect(host, server, bag);
      else if (known === undefined) {
        hosts.set(host, { routes: [...routes], redirect: undefined, origins: joinOrigins(own, server.origins) });
      } else {
        known.routes.push(...routes);
        known.origins = joinOrigins(known.origins, own);
      }
    }
  }
  if (!isServed) reportNoRoutes(server, 'every request is answered with 404', bag);
}

/** Tells what clients of a server get to which no route leads. */
export function reportNoRoutes({ gateway, server, path }: GatewayServer, effect: string, bag: DiagnosticBag): void {
  const { namespace, name } = writtenField(gateway, path).object;
  const holes = { name: server.port.name, gateway: `${namespace}/${name}`, effect };
  const hint = gateway.standard && 'attach a route to the listener whose host names are among those of the listener';
  bag.report('gateway-server-without-routes', gateway.document.spanOf([...path, 'hosts']), holes, { hint });
}

/** The redirect stands even where routes came first: its owner wants no plaintext for the host. */
function addRedirects(
  hosts: Map<string, HostDraft>,
  server: GatewayServer,
  input: RouteTableInput,
  bag: DiagnosticBag,
): void {
  const origins = {
    decidedBy: [objectOrigin(server.gateway, [...server.path, 'tls', 'httpsRedirect'])],
    overrode: [],
  };
  for (const { host } of server.hosts) {
    if (hosts.get(host)?.redirect !== undefined) continue;
    if (hosts.has(host)) reportRedirect(host, server, bag);
    const port = input.securePortOf(host);
    hosts.set(host, {
      routes: [],
      origins,
      redirect: {
        name: 'https-redirect',
        match: everyRequest,
        action: { kind: 'redirect', status: 308, scheme: 'https', ...(port === 443 ? {} : { port }) },
        origins,
      },
    });
  }
}

function reportRedirect(host: string, { gateway, server, path }: GatewayServer, bag: DiagnosticBag): void {
  bag.report('redirect-hides-routes', gateway.document.spanOf([...path, 'hosts']), {
    host,
    port: String(server.port.number),
    gateway: gatewayKey(gateway),
  });
}

/** 421 (RFC 9110, section 15.5.20): a client that shares a connection between hosts has to open another one. */
function misdirected(owners: HostOwners, [server]: readonly GatewayServer[]): VirtualHostIR | undefined {
  const domains = server === undefined ? [] : owners.foreignTo(server);
  if (domains.length === 0) return undefined;
  return {
    name: 'misdirected',
    domains,
    routes: [
      {
        name: 'misdirected',
        match: everyRequest,
        action: { kind: 'direct-response', status: 421 },
        origins: noOrigins,
      },
    ],
    includeAttemptCount: true,
    origins: noOrigins,
  };
}

/** Without a route Envoy answers 404. */
function nothing({ port, servers }: RouteTableInput): VirtualHostIR {
  const origins = servers.map((server) => server.origins).reduce(joinOrigins, noOrigins);
  return { name: `blackhole:${port}`, domains: ['*'], routes: [], includeAttemptCount: true, origins };
}

/** Number of the port on which the most specific TLS server for a host listens; 443 when there is none. */
export function securePort(host: string, servers: readonly GatewayServer[]): number {
  const ports = new Map<string, number>();
  for (const { class: kind, hosts, server } of servers) {
    if (kind !== 'https' && kind !== 'passthrough') continue;
    for (const offered of hosts) if (!ports.has(offered.host)) ports.set(offered.host, server.port.number);
  }
  const sorted = [...ports.keys()].sort(compareSpecificity);
  return ports.get(mostSpecific(host, sorted) ?? '') ?? 443;
}
