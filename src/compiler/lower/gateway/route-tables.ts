import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { RouteConfigurationIR } from '../../ir/route.ts';
import { httpRoutes } from '../routes/http-routes.ts';
import type { GatewayContext } from './gateway-context.ts';
import type { GatewayPort } from './ports.ts';
import { type GatewayServer, isSecure } from './server.ts';
import { HostOwners } from './server-names.ts';
import { routeTable, securePort } from './virtual-hosts.ts';

/**
 * Name of a server's route table: plaintext servers of a port share theirs. It becomes the name of a file, so that
 * characters of names that a file's cannot have are encoded.
 */
export function routeTableName({ server, gateway, class: kind, addresses: [address = ''] }: GatewayServer): string {
  const { number, name } = server.port;
  // One number on two addresses of the workload is two listeners.
  if (kind === 'http') return isAnyAddress(address) ? `http.${number}` : `http.${number}.${address}`;
  return `https.${number}.${encodeURIComponent(name)}.${encodeURIComponent(gateway.name)}.${gateway.namespace}`;
}

/** The route tables of a port: one for all its plaintext servers, one for each that ends TLS and carries HTTP. */
export function portTables(
  port: GatewayPort,
  context: Omit<GatewayContext, 'tables'>,
  bag: DiagnosticBag,
): readonly RouteConfigurationIR[] {
  const [first] = port.servers;
  if (first.class === 'http') return [table(port.servers, undefined, context, bag)];
  if (!isSecure(first)) return [];
  const owners = new HostOwners(port.servers, port.leftOut);
  return port.servers
    .filter(({ class: kind }) => kind === 'https')
    .map((server) => table([server], owners, context, bag));
}

function table(
  servers: readonly [GatewayServer, ...GatewayServer[]],
  owners: HostOwners | undefined,
  context: Omit<GatewayContext, 'tables'>,
  bag: DiagnosticBag,
): RouteConfigurationIR {
  const [first] = servers;
  return routeTable(
    {
      name: routeTableName(first),
      port: first.server.port.number,
      servers,
      owners,
      boundTo: context.boundTo,
      routesOf: (virtualService, gateway) =>
        httpRoutes(virtualService, { ...context.routeContext(first), gateway }, bag),
      clusterDomain: context.settings.clusterDomain,
      securePortOf: (host) => securePort(host, context.servers),
    },
    bag,
  );
}

function isAnyAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}
