import type { Listener, SocketAddress } from '../lift/listener.ts';
import type { LiftedProxy } from '../lift-proxy.ts';

/** The listener that catches all that a sidecar's workload sends. */
const catcher = 'virtualOutbound';

/**
 * The listener that a sidecar hands a client's connection to, by its original destination: the one of the address, the one
 * of the port, else the one that has caught it (Envoy's `use_original_dst`).
 */
export function outboundListener(proxy: LiftedProxy, destination: SocketAddress): Listener | undefined {
  return inboundListener(proxy, destination) ?? proxy.listeners.get(catcher);
}

/** The listener of a gateway that takes connections to an address: the one of the address, else the one of the port. */
export function inboundListener({ listeners }: LiftedProxy, { address, port }: SocketAddress): Listener | undefined {
  const wildcard = address.includes(':') ? '::' : '0.0.0.0';
  const known = listenersByAddress(listeners);
  return known.get(port)?.get(address) ?? known.get(port)?.get(wildcard);
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
