import { loopbackPorts, ownPorts } from '../../../config/proxy-ports.ts';
import type { Settings } from '../../../config/settings.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { Origins } from '../../ir/origin.ts';
import type { Effective, EffectiveTraffic } from '../../merge/effective.ts';
import type { IngressPort } from '../../merge/ingress.ts';
import type { Workload } from '../../topology/model.ts';
import type { Protocol } from '../../topology/protocol.ts';
import { servicePortOrigins } from '../origins.ts';

/** A container port with chains, a cluster and perhaps routes of its own: one that a service targets, or a Sidecar names. */
export interface InboundPort {
  readonly number: number;
  readonly protocol: Protocol;
  /** Where a Sidecar says that the application listens. */
  readonly endpoint?: IngressPort['endpoint'];
  readonly traffic: EffectiveTraffic | undefined;
  readonly origins: Origins;
  /** What it is made from. */
  readonly inputs: readonly [object, ...object[]];
}

/**
 * In ascending order. Of services the oldest has a port; a Sidecar takes its place on the ports that it names, where the
 * rule for the service goes on to bound connections. Ports of services that the Sidecar does not name stay as they are, so
 * that it takes no port-level mode out of force.
 */
export function inboundPorts(workload: Workload, effective: Effective, settings: Settings): readonly InboundPort[] {
  const ports = new Map<number, InboundPort>();
  for (const { service, port, targetPort } of workload.targets) {
    if (port.protocol === 'udp' || isOwnPort(targetPort, settings)) continue;
    const traffic = effective.inboundTraffic(workload.namespace, service, port);
    ports.set(targetPort, {
      number: targetPort,
      protocol: port.protocol,
      traffic,
      origins: servicePortOrigins(service, port.number),
      inputs: traffic === undefined ? [port, service] : [port, service, traffic],
    });
  }
  for (const ingress of effective.ingress(workload)) {
    const traffic = ports.get(ingress.number)?.traffic;
    ports.set(ingress.number, {
      number: ingress.number,
      protocol: ingress.protocol,
      ...(ingress.endpoint === undefined ? {} : { endpoint: ingress.endpoint }),
      traffic,
      origins: ingress.origins,
      inputs: traffic === undefined ? [ingress] : [ingress, traffic],
    });
  }
  return sortedBy(ports.values(), ({ number }) => number);
}

/**
 * The proxy's listeners and its own surfaces are no application: chains for them would go around the loop protection, and
 * delivery to loopback would open what only the pod itself may do to clients.
 */
export function isOwnPort(port: number, settings: Settings): boolean {
  return ownPorts(settings).has(port) || loopbackPorts(settings).has(port);
}
