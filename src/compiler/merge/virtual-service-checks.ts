import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { append } from '../../lib/append.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { destinationsOf } from '../topology/destinations.ts';
import { boundGateways, gatewayName } from '../topology/gateway-name.ts';
import { matches, resolveShortName } from '../topology/host.ts';
import type { Service, Topology } from '../topology/model.ts';
import { isOfUnseenNamespace } from '../topology/unseen-namespace.ts';
import { reportIdleRoutes } from './idle-routes.ts';

/** What VirtualServices are checked against. */
export interface RouteTargets {
  readonly topology: Topology;
  readonly gateways: readonly Gateway[];
  readonly settings: Settings;
}

/**
 * Reports destinations that nobody declares, which no client could ever reach, and gateways that do not exist. What one
 * client sees and another does not is told when its routes are made.
 */
export function checkVirtualServices(
  virtualServices: readonly VirtualService[],
  { topology, gateways, settings }: RouteTargets,
  bag: DiagnosticBag,
): void {
  const byHost = new Map<string, Service[]>();
  for (const service of topology.services) {
    append(byHost, service.host, service);
    for (const { host } of service.aliases) append(byHost, host, service);
  }
  const inhabitedByGateways = new Set(gateways.map(({ namespace }) => namespace));
  const known = new Set(gateways.map(({ namespace, name }) => `${namespace}/${name}`));
  for (const virtualService of virtualServices) {
    checkGateways(virtualService, known, inhabitedByGateways, bag);
    checkHosts(virtualService, byHost, { topology, settings }, bag);
    reportIdleRoutes(virtualService, byHost, settings, bag);
    for (const { destination, path } of destinationsOf(virtualService)) {
      const host = resolveShortName(destination.host, virtualService.namespace, settings.clusterDomain);
      const services = byHost.get(host);
      const span = (...field: JsonPath) => virtualService.document.spanOf([...path, ...field]);
      if (services === undefined) {
        const near = nearestHost(host, [...byHost.keys()]);
        const hint = near === undefined ? undefined : `did you mean "${near}"?`;
        const isUnseen = near === undefined && isOfUnseenNamespace(host, topology, settings.clusterDomain);
        bag.report('unknown-destination', span('host'), { host }, { hint, isUnseen });
      } else if (destination.port !== undefined) {
        const ports = services.flatMap((service) => service.ports.map(({ number }) => number));
        const { number } = destination.port;
        if (ports.includes(number)) continue;
        const holes = { host, port: String(number), ports: [...new Set(ports)].join(', ') };
        bag.report('unknown-destination-port', span('port', 'number'), holes);
      }
    }
  }
}

/** Names of one domain are compared by their first part: the rest is alike in all of them. */
function nearestHost(host: string, hosts: readonly string[]): string | undefined {
  const [name = ''] = host.split('.', 1);
  const domain = host.slice(name.length);
  const siblings = hosts.filter((other) => other.endsWith(domain) && !other.slice(0, -domain.length).includes('.'));
  const near = nearest(
    name,
    siblings.map((other) => other.slice(0, -domain.length)),
  );
  return near === undefined || domain === '' ? undefined : `${near}${domain}`;
}

function checkGateways(
  { spec, namespace, document }: VirtualService,
  known: ReadonlySet<string>,
  namespaces: ReadonlySet<string>,
  bag: DiagnosticBag,
): void {
  for (const [i, reference] of (spec.gateways ?? []).entries()) {
    const gateway = gatewayName(reference, namespace);
    if (gateway === 'mesh' || known.has(gateway)) continue;
    const near = nearest(gateway, known);
    const hint = near === undefined ? undefined : `did you mean "${near}"?`;
    const isUnseen = near === undefined && !namespaces.has(gateway.slice(0, gateway.indexOf('/')));
    bag.report('unknown-gateway', document.spanOf(['spec', 'gateways', i]), { gateway }, { hint, isUnseen });
  }
}

/** Hosts that sidecars are to route and that nobody declares; they do it for HTTP, on one port. */
function checkHosts(
  { spec, namespace, document }: VirtualService,
  byHost: ReadonlyMap<string, Service[]>,
  { topology, settings: { clusterDomain } }: Pick<RouteTargets, 'topology' | 'settings'>,
  bag: DiagnosticBag,
): void {
  if (!boundGateways(spec.gateways, namespace).includes('mesh')) return;
  for (const [i, written] of (spec.hosts ?? []).entries()) {
    const host = resolveShortName(written, namespace, clusterDomain);
    if (byHost.has(host) || [...byHost.keys()].some((known) => matches(host, known))) continue;
    const span = document.spanOf(['spec', 'hosts', i]);
    const extras = { isUnseen: isOfUnseenNamespace(host, topology, clusterDomain) };
    if (spec.http !== undefined) bag.report('host-without-service', span, { host }, extras);
    else
      bag.report('connections-without-service', span, { host, kind: spec.tls === undefined ? 'tcp' : 'tls' }, extras);
  }
}
