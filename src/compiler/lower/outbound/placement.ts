import type { Settings } from '../../../config/settings.ts';
import type { ServiceEntry } from '../../../policy/topology-kinds.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import type { Service, ServicePort } from '../../topology/model.ts';
import { protocolClass } from '../../topology/protocol.ts';
import { isReachable } from '../clusters/endpoints.ts';
import { routeNames } from '../names.ts';
import type { PlacementTarget } from './placement-target.ts';

/** The part of one outbound listener that serves one service port: its routes, its TCP match, its address. */
export interface Placement {
  readonly outbound: EffectiveOutbound;
  readonly port: ServicePort;
  /** Undefined is the wildcard of the proxy's families. */
  readonly address: string | undefined;
  /** Name of the route table for its HTTP requests; undefined when it takes none. */
  readonly routes: string | undefined;
  /** Undefined when it serves no TCP; an empty match takes the connections that no other service matches. */
  readonly tcp: TcpMatch | undefined;
  /** A pod calls itself directly. */
  readonly notForAddress: string | undefined;
  /** The application connects to it: nothing is redirected there. */
  readonly isBound?: true;
  /** Where its bytes go instead of to the service itself. */
  readonly target?: PlacementTarget;
}

export interface TcpMatch {
  readonly serverNames: readonly string[];
  readonly destinationPrefixes: readonly string[];
  /** Absent matches any client. */
  readonly sourcePrefixes?: readonly string[];
}

const everything: TcpMatch = { serverNames: [], destinationPrefixes: [] };

/** Where the listeners of one service port stand: one shared by all HTTP services of a port, or one a virtual address. */
export function placements(
  outbound: EffectiveOutbound,
  port: ServicePort,
  scope: ClientScope,
  settings: Settings,
): readonly Placement[] {
  const { service } = outbound;
  const listened = protocolClass(port.protocol, settings.sniffOutbound);
  const base: Placement = {
    outbound,
    port,
    address: undefined,
    routes: undefined,
    tcp: undefined,
    notForAddress: undefined,
  };
  if (listened === 'none') return [];
  if (listened === 'http') return [{ ...base, routes: routeNames.port(port.number) }];

  const isDetected = listened === 'auto';
  const at = (address: string): Placement => ({
    ...base,
    address,
    routes: isDetected ? routeNames.service(service, port.number) : undefined,
    tcp: everything,
  });
  if (service.addresses.length === 0 && service.lostAddresses === undefined) {
    const pods = podAddresses(service, port, scope, settings);
    if (pods !== undefined) return pods.map((address) => ({ ...at(address), notForAddress: address }));
    return [
      {
        ...base,
        routes: isDetected ? routeNames.port(port.number) : undefined,
        tcp: tcpMatch(service, port),
      },
    ];
  }
  return service.addresses
    .filter((address) => isReachable(address, scope.families))
    .map((address) => {
      if (!address.includes('/')) return at(address);
      // Detection is not tried inside a block: its chains would have to be doubled for each transport.
      const tcp = { serverNames: serverNames(service, port), destinationPrefixes: [address] };
      return { ...base, tcp };
    });
}

/**
 * Addresses of a headless service's pods, each with a listener of its own; undefined when the port is listened to on the
 * wildcard (switched off, or a ServiceEntry that lists nobody).
 */
function podAddresses(
  service: Service,
  port: ServicePort,
  scope: ClientScope,
  settings: Settings,
): readonly string[] | undefined {
  if (service.resolution !== 'passthrough' || !settings.headlessPodListeners) return undefined;
  const addresses = new Set<string>();
  for (const address of service.facts.ports.get(port.number)?.addresses ?? []) {
    const isIp = address.includes(':') ? !address.startsWith('unix://') : /^[\d.]+$/.test(address);
    if (isIp && isReachable(address, scope.families)) addresses.add(address);
  }
  return addresses.size > 0 || service.kind === 'Service' || hasSelector(service) ? [...addresses] : undefined;
}

function hasSelector({ object }: Service): boolean {
  return 'spec' in object && (object as ServiceEntry).spec.workloadSelector !== undefined;
}

/** What tells a service from others on a shared address: where its clients use TLS, the server name. */
export function tcpMatch(service: Service, port: ServicePort): TcpMatch {
  return { ...everything, serverNames: serverNames(service, port) };
}

/** Where an address does not tell the service, the server name of its TLS does. */
function serverNames({ host }: Service, { protocol }: ServicePort): readonly string[] {
  if (protocol !== 'tls' && protocol !== 'https') return [];
  // Envoy takes whole labels as a wildcard only.
  return host.startsWith('*') && !host.startsWith('*.') ? [] : [host];
}
