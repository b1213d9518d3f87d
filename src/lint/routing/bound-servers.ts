import { boundGateways } from '../../compiler/topology/gateway-name.ts';
import { resolveShortName, subsetOf } from '../../compiler/topology/host.ts';
import type { Gateway, Server } from '../../policy/gateway.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { serverHosts } from './server-hosts.ts';

/** A server of a Gateway, by its place in "servers". */
export interface ServerAt {
  readonly gateway: Gateway;
  readonly server: Server;
  readonly index: number;
}

/**
 * The hosts of routes in their full form, and the servers for them; `unknown` where the input lacks a Gateway, undefined where
 * sidecars are among the clients.
 */
export function boundServers(
  { spec, namespace }: VirtualService,
  gateways: ReadonlyMap<string, Gateway>,
  clusterDomain: string,
): { readonly hosts: readonly string[]; readonly servers: readonly ServerAt[] } | 'unknown' | undefined {
  const names = boundGateways(spec.gateways, namespace);
  if (names.includes('mesh')) return undefined;
  const bound = names.flatMap((name) => gateways.get(name) ?? []);
  if (bound.length < names.length) return 'unknown';
  const hosts = (spec.hosts ?? []).map((host) => resolveShortName(host, namespace, clusterDomain));
  return { hosts, servers: bound.flatMap((gateway) => serversFor(gateway, hosts)) };
}

/** The Gateways by `namespace/name`. */
export function gatewaysByName(gateways: readonly Gateway[]): ReadonlyMap<string, Gateway> {
  return new Map(gateways.map((gateway) => [`${gateway.namespace}/${gateway.name}`, gateway]));
}

/**
 * Whether a server has a port for TLS and one of the modes. A server without a mode has none of them; another check
 * reports it.
 */
export function hasTlsMode({ port, tls }: Server, modes: readonly string[]): boolean {
  return ['HTTPS', 'TLS'].includes(port.protocol.toUpperCase()) && tls?.mode !== undefined && modes.includes(tls.mode);
}

function serversFor(gateway: Gateway, hosts: readonly string[]): readonly ServerAt[] {
  return gateway.spec.servers.flatMap((server, index) => {
    const offered = serverHosts(gateway, server);
    const isFor = offered.some(({ host }) => hosts.some((other) => subsetOf(other, host) || subsetOf(host, other)));
    return isFor ? [{ gateway, server, index }] : [];
  });
}
