import type { Settings } from '../../../config/settings.ts';
import type { OutboundTrafficPolicyMode } from '../../../policy/sidecar.ts';
import type { RouteIR, VirtualHostIR } from '../../ir/route.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import type { Service, ServiceAlias } from '../../topology/model.ts';
import { isVisible } from '../../topology/visibility.ts';
import { hashPolicies } from '../clusters/load-balancing.ts';
import { bracketed, clusterNames, outboundCluster } from '../names.ts';
import { blockOrigins, joinOrigins, noOrigins, servicePortOrigins } from '../origins.ts';
import { retryPolicy } from '../routes/retry.ts';
import { everyRequest } from '../routes/route-match.ts';

/** Requests to one service port, by every name and address that the service goes by in the client's namespace. */
export function serviceVirtualHost(
  outbound: EffectiveOutbound,
  port: number,
  scope: ClientScope,
  settings: Settings,
  routes?: readonly RouteIR[],
): VirtualHostIR {
  return virtualHost(outbound, port, serviceDomains(outbound.service, scope, settings), settings, routes);
}

/** Requests on a listener that one service has for itself: the address has told the service, whatever the host says. */
export function detectedVirtualHost(
  outbound: EffectiveOutbound,
  port: number,
  settings: Settings,
  routes?: readonly RouteIR[],
): VirtualHostIR {
  return virtualHost(outbound, port, ['*'], settings, routes);
}

/** What the virtual host of a service port is made of, beside the client: of rules only one that hashes requests. */
export function virtualHostInputs(
  { service, subsets: [whole] }: EffectiveOutbound,
  port: number,
  routes: readonly RouteIR[] | undefined,
): readonly [object, ...object[]] {
  if (routes !== undefined) return [service, routes];
  const traffic = whole?.traffic.get(port);
  return traffic?.blocks.loadBalancer?.consistentHash === undefined ? [service] : [service, traffic];
}

/** Requests to a host that a VirtualService names and no service has. */
export function routedVirtualHost(host: string, port: number, routes: readonly RouteIR[]): VirtualHostIR {
  const origins = routes[0]?.origins ?? noOrigins;
  return { name: `${host}:${port}`, domains: [bracketed(host)], routes, includeAttemptCount: true, origins };
}

/** Requests to hosts that no service goes by. */
export function catchAllVirtualHost(unknown: OutboundTrafficPolicyMode): VirtualHostIR {
  const isOpen = unknown === 'ALLOW_ANY';
  const name = isOpen ? 'allow_any' : 'block_all';
  const cluster = clusterNames.passthrough;
  const action: RouteIR['action'] = isOpen
    ? { kind: 'cluster', cluster, timeoutMs: 0, retry: undefined, hashPolicies: [] }
    : { kind: 'direct-response', status: 502 };
  const route = { name, match: everyRequest, action, origins: noOrigins };
  return { name, domains: ['*'], routes: [route], includeAttemptCount: true, origins: noOrigins };
}

/**
 * Ports are not listed: routes are looked up without them. IPv6 addresses stand in brackets; blocks are no names. In lower
 * case, as Envoy compares them.
 */
export function serviceDomains(service: Service, scope: ClientScope, settings: Settings): readonly string[] {
  const names = [service.host, ...shortNames(service, scope, settings)];
  const own = service.isHeadless ? names.flatMap((name) => [name, `*.${name}`]) : names;
  const hosts = [...own, ...service.aliases.flatMap((alias) => aliasNames(alias, scope, settings))];
  const addresses = service.addresses.filter((address) => !address.includes('/')).map(bracketed);
  return [...new Set([...hosts, ...addresses].map((domain) => domain.toLowerCase()))];
}

function aliasNames(alias: ServiceAlias, scope: ClientScope, settings: Settings): readonly string[] {
  if (!isVisible(alias.exportTo, alias.namespace, scope.namespace)) return [];
  return [alias.host, ...shortNames({ ...alias, kind: 'Service' }, scope, settings)];
}

type Named = Pick<Service, 'host' | 'name' | 'namespace' | 'kind'>;

function shortNames(service: Named, scope: ClientScope, settings: Settings): readonly string[] {
  const { host, name, namespace, kind } = service;
  if (kind !== 'Service' || host !== `${name}.${namespace}.svc.${settings.clusterDomain}`) return [];
  const qualified = [`${name}.${namespace}`, `${name}.${namespace}.svc`];
  return scope.namespace === namespace ? [name, ...qualified] : qualified;
}

function virtualHost(
  outbound: EffectiveOutbound,
  port: number,
  domains: readonly string[],
  settings: Settings,
  routes: readonly RouteIR[] = [defaultRoute(outbound, port, settings)],
): VirtualHostIR {
  const { service } = outbound;
  const origins = servicePortOrigins(service, port);
  return { name: `${service.host}:${port}`, domains, routes, includeAttemptCount: true, origins };
}

function defaultRoute(outbound: EffectiveOutbound, port: number, settings: Settings): RouteIR {
  const { service } = outbound;
  const traffic = outbound.subsets[0]?.traffic.get(port);
  const origins = servicePortOrigins(service, port);
  const hashes = hashPolicies(traffic?.blocks.loadBalancer?.consistentHash);
  const isRuled = traffic !== undefined && hashes.length > 0;
  return {
    name: 'default',
    match: everyRequest,
    action: {
      kind: 'cluster',
      cluster: outboundCluster(service.host, port),
      timeoutMs: settings.defaultRequestTimeoutMs,
      retry: retryPolicy(undefined, hashes),
      hashPolicies: hashes,
    },
    origins: isRuled ? joinOrigins(blockOrigins(traffic, 'loadBalancer'), origins) : origins,
  };
}
