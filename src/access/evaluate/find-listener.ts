import type { MeshWorkload } from '../../contracts/mesh-file.ts';
import { metricsPort, readinessPort } from '../../lib/proxy-addresses.ts';
import { catchers, type Listener, type SocketAddress } from '../lift/listener.ts';
import type { LiftedProxy } from '../lift-proxy.ts';
import type { Outcome } from '../outcome.ts';
import { closedWith } from './closed.ts';

/**
 * The listener that a sidecar hands a client's connection to, by its original destination: the one of the address, the one
 * of the port, else the one that has caught it (Envoy's `use_original_dst`).
 */
export function outboundListener(proxy: LiftedProxy, { address, port }: SocketAddress): Listener | undefined {
  const atPort = listenersByAddress(proxy.listeners).get(port);
  return atPort?.get(address) ?? atPort?.get(wildcardOf(address)) ?? proxy.listeners.get(catchers.outbound);
}

/** The listener of a gateway that takes connections to an address: the one of the address, else the one of the port. */
export function inboundListener({ listeners }: LiftedProxy, { address, port }: SocketAddress): Listener | undefined {
  const atPort = listenersByAddress(listeners).get(port);
  const own = atPort?.get(address);
  if (own?.isBound === true) return own;
  const any = atPort?.get(wildcardOf(address));
  return any?.isBound === true ? any : undefined;
}

function wildcardOf(address: string): string {
  return address.includes(':') ? '::' : '0.0.0.0';
}

/** By port, then by address. */
type ListenersByAddress = ReadonlyMap<number, ReadonlyMap<string, Listener>>;

const byAddress = new WeakMap<LiftedProxy['listeners'], ListenersByAddress>();

/** The first listener of each address and port. */
function listenersByAddress(listeners: LiftedProxy['listeners']): ListenersByAddress {
  const known = byAddress.get(listeners);
  if (known !== undefined) return known;
  const found = new Map<number, Map<string, Listener>>();
  for (const listener of listeners.values()) {
    for (const { address, port } of listener.addresses) {
      const atPort = found.get(port) ?? new Map<string, Listener>();
      found.set(port, atPort);
      if (!atPort.has(address)) atPort.set(address, listener);
    }
  }
  byAddress.set(listeners, found);
  return found;
}

/** At a gateway, at a port of which no policy says anything. Its clients may mean a port of its service, which leads to another one. */
export function unheard({ ports }: Pick<MeshWorkload, 'ports'>, port: number): Outcome {
  if (port === readinessPort || port === metricsPort) {
    return { kind: 'unmodelled', at: `port ${port}, where the proxy itself answers` };
  }
  const leading = ports.find((target) => target.port === port && target.targetPort !== port);
  const hint = leading && `; port ${port} of ${leading.service} leads to its port ${leading.targetPort}`;
  return closedWith([7], `the gateway has no listener on this port${hint ?? ''}`);
}
