import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { FilterChainIR, FilterChainMatchIR } from '../../ir/listener.ts';
import { httpConnection, tcpProxy } from '../filters.ts';
import { clusterNames, meshProtocols, statName } from '../names.ts';
import { joinOrigins } from '../origins.ts';
import { routeFilters } from '../routes/route-filters.ts';
import { ambiguousRequests } from './ambiguous-requests.ts';
import { type ConnectionRoute, tcpRoute, tlsRoutes } from './connection-routes.ts';
import type { GatewayContext } from './gateway-context.ts';
import { gatewayTls } from './gateway-tls.ts';
import type { GatewayPort } from './ports.ts';
import { routeTableName } from './route-tables.ts';
import { type GatewayServer, gatewayKey, isSecure } from './server.ts';
import { serverNames } from './server-names.ts';
import { reportNoRoutes } from './virtual-hosts.ts';

const anyMatch: FilterChainMatchIR = {
  destinationPort: undefined,
  transportProtocol: undefined,
  applicationProtocols: [],
  serverNames: [],
  destinationPrefixes: [],
};

/** The chains of one listener: one for all plaintext HTTP, else one a server, and one a route where TLS goes through. */
export function portChains(port: GatewayPort, context: GatewayContext, bag: DiagnosticBag): readonly FilterChainIR[] {
  const [first] = port.servers;
  const chains = first.class === 'http' ? [httpChain(port.servers, context)] : serverChains(port, context, bag);
  return withoutRepeatedNames(chains, port, bag);
}

function serverChains({ servers }: GatewayPort, context: GatewayContext, bag: DiagnosticBag): FilterChainIR[] {
  // Who ends TLS himself comes first: his server names are his, whatever routes say.
  const ended = servers.filter(({ class: kind }) => kind !== 'passthrough');
  const passed = servers.filter(({ class: kind }) => kind === 'passthrough');
  return [...ended, ...passed].flatMap((server): readonly FilterChainIR[] => {
    switch (server.class) {
      case 'https':
        return [httpChain([server], context)];
      case 'auto-passthrough':
        return autoPassthrough(server, context, bag);
      case 'passthrough':
        return passthroughChains(server, context, bag);
      default:
        return connectionChain(server, context, bag);
    }
  });
}

function httpChain(servers: readonly [GatewayServer, ...GatewayServer[]], context: GatewayContext): FilterChainIR {
  const [server] = servers;
  const { settings, filters } = context;
  const routeConfig = routeTableName(server);
  const table = context.tables.get(routeConfig);
  const limits = settings.gatewayLimits;
  const origins = servers.map((each) => each.origins).reduce(joinOrigins);
  return {
    ...secureParts(server, 'http', context),
    name: isSecure(server) ? routeConfig : `${server.listener}-http`,
    policyFilters: [],
    filter: httpConnection(
      {
        statPrefix: statName(`gateway_${server.listener}`),
        routeConfig,
        direction: 'inbound',
        policyFilters: [ambiguousRequests, ...filters.on({ only: server.listenPort }).http],
        routeFilters: [
          ...(servers.some(speaksGrpcWeb) ? (['grpc-web'] as const) : []),
          ...(table === undefined ? [] : routeFilters(table)),
        ],
        alpnOverride: table === undefined ? undefined : context.alpnOverrideFor(table),
        edge: {
          requestHeadersTimeoutMs: limits.requestHeadersTimeoutMs,
          requestTimeoutMs: limits.requestTimeoutMs,
          streamIdleTimeoutMs: limits.streamIdleTimeoutMs,
          idleTimeoutMs: limits.idleTimeoutMs,
          maxHeaders: limits.maxHeaders,
          maxConcurrentStreams: limits.maxConcurrentStreams,
        },
        topology: context.topology,
        origins,
      },
      settings,
    ),
    origins,
  };
}

/** Browsers speak this form of gRPC; the filter makes the plain one of it, and leaves other requests alone. */
function speaksGrpcWeb({ server }: GatewayServer): boolean {
  return server.port.protocol.toUpperCase() === 'GRPC-WEB';
}

/** Match and TLS of a server that ends TLS; nothing for a plaintext one. */
function secureParts(
  server: GatewayServer,
  carries: 'http' | 'tcp',
  { settings }: GatewayContext,
): Pick<FilterChainIR, 'match' | 'tls' | 'handshakeTimeoutMs'> {
  if (!isSecure(server)) return { match: anyMatch, tls: undefined };
  const names = serverNames(server.hosts.map(({ host }) => host));
  return {
    match: { ...anyMatch, transportProtocol: 'tls', serverNames: names },
    tls: gatewayTls(server, carries, settings),
    handshakeTimeoutMs: settings.gatewayLimits.handshakeTimeoutMs || undefined,
  };
}

/** Bytes of plaintext or ended TLS to the first route that fits. */
function connectionChain(server: GatewayServer, context: GatewayContext, bag: DiagnosticBag): readonly FilterChainIR[] {
  const gateway = gatewayKey(server.gateway);
  const route = tcpRoute(context.boundTo(gateway), server, context.routeContext(server), bag);
  if (route === undefined) {
    reportNoRoutes(server, 'every connection is closed', bag);
    return [];
  }
  const parts = secureParts(server, 'tcp', context);
  const match = { ...parts.match, ...clientBlocks(route) };
  return [{ ...parts, ...proxied(server, route, context), name: chainName(server), match }];
}

function passthroughChains(server: GatewayServer, context: GatewayContext, bag: DiagnosticBag): FilterChainIR[] {
  const gateway = gatewayKey(server.gateway);
  const routes = tlsRoutes(context.boundTo(gateway), server, context.routeContext(server), bag);
  if (routes.length === 0) reportNoRoutes(server, 'every connection is closed', bag);
  return routes.map((route, i) => ({
    ...proxied(server, route, context),
    name: `${chainName(server)}.${i}`,
    match: {
      ...anyMatch,
      transportProtocol: 'tls',
      serverNames: serverNames(route.serverNames),
      ...clientBlocks(route),
    },
    tls: undefined,
  }));
}

/** Mesh clients of another network name the cluster themselves, in their handshake; what else comes is not let in. */
function autoPassthrough(server: GatewayServer, context: GatewayContext, bag: DiagnosticBag): readonly FilterChainIR[] {
  const { gateway, path, hosts } = server;
  if (!context.settings.autoPassthroughGateways.includes(gatewayKey(gateway))) {
    const span = gateway.document.spanOf([...path, 'tls', 'mode']);
    bag.report('auto-passthrough-not-allowed', span, { gateway: gatewayKey(gateway) });
    return [];
  }
  const match: FilterChainMatchIR = {
    ...anyMatch,
    transportProtocol: 'tls',
    applicationProtocols: meshProtocols,
    serverNames: serverNames(hosts.map(({ host }) => host)),
  };
  const route = {
    target: { cluster: clusterNames.blackHole, clusterOfServerName: true, hashSourceIp: false },
    origins: server.origins,
  };
  return [{ ...proxied(server, route, context), name: chainName(server), match, tls: undefined }];
}

function proxied(
  server: GatewayServer,
  route: Pick<ConnectionRoute, 'origins'> & { readonly target: Partial<ConnectionRoute['target']> },
  { filters, settings }: GatewayContext,
): Pick<FilterChainIR, 'policyFilters' | 'filter' | 'origins'> {
  const origins = joinOrigins(server.origins, route.origins);
  const statPrefix = statName(`gateway_${server.listener}`);
  return {
    policyFilters: filters.on({ only: server.listenPort }).network,
    filter: tcpProxy({ cluster: clusterNames.blackHole, ...route.target, statPrefix, origins }, settings),
    origins,
  };
}

function clientBlocks({ destinationPrefixes, sourcePrefixes }: ConnectionRoute): Partial<FilterChainMatchIR> {
  return { destinationPrefixes, ...(sourcePrefixes.length === 0 ? {} : { sourcePrefixes }) };
}

function chainName(server: GatewayServer): string {
  return `${server.class}.${routeTableName(server).split('.').slice(1).join('.')}`;
}

/** Envoy refuses a listener in which two chains match the same: the first keeps a server name. */
function withoutRepeatedNames(
  chains: readonly FilterChainIR[],
  port: GatewayPort,
  bag: DiagnosticBag,
): readonly FilterChainIR[] {
  const taken = new Set<string>();
  return chains.flatMap((chain): readonly FilterChainIR[] => {
    const { serverNames: names, applicationProtocols, destinationPrefixes, sourcePrefixes = [] } = chain.match;
    const rest = [applicationProtocols, destinationPrefixes, sourcePrefixes].map((list) => [...list].sort().join());
    const keyOf = (name: string): string => [name, ...rest].join(' ');
    const all = names.length === 0 ? ['*'] : names;
    const kept = all.filter((name) => !taken.has(keyOf(name)));
    for (const name of kept) taken.add(keyOf(name));
    for (const name of all) {
      if (!kept.includes(name)) {
        const origin = chain.origins.decidedBy.at(-1);
        bag.report('duplicate-server-name', origin?.at.spanOf(origin.field), { host: name, port: String(port.port) });
      }
    }
    if (kept.length === 0) return [];
    return [kept.length === all.length ? chain : { ...chain, match: { ...chain.match, serverNames: kept } }];
  });
}
