import { AgentError } from '../agent-error.ts';
import { type Json, nameOf, type ProxyFiles, parseResourceFile } from '../reload/proxy-files.ts';
import { type BindAddress, bindFailure } from './bind-failure.ts';
import { portOwner } from './process-table.ts';

/**
 * Throws when somebody listens already where Envoy is to: with SO_REUSEPORT the kernel would give each of two Envoys a part
 * of the connections, and half of them would meet the policies of another workload. To be called while no Envoy of this
 * agent runs. Whatever else keeps Envoy from listening it says itself. `listening` are the ports on which somebody listens,
 * undefined where nobody can tell.
 */
export async function checkListenerPorts(
  files: Pick<ProxyFiles, 'bootstrap' | 'listeners'>,
  listening: ReadonlySet<number> | undefined,
): Promise<void> {
  for (const { name, address } of boundAddresses(files)) {
    const { host, port } = address;
    // Tried only where somebody listens or nobody can tell: a client of a free port must not meet us in Envoy's place.
    if (listening?.has(port) === false || (await bindFailure(address)) !== 'EADDRINUSE') continue;
    const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    const owner = (await portOwner(port)) ?? 'another process';
    throw new AgentError(
      'listener-bind-failed',
      `the listener "${name}" cannot have ${place}, where ${owner} listens; ` +
        'end that, or run this agent in a network namespace of its own: a namespace has one proxy',
    );
  }
}

interface SocketAddress {
  readonly protocol?: string;
  readonly address?: string;
  readonly port_value?: number;
  readonly ipv4_compat?: boolean;
}

interface Listener extends Json {
  readonly address?: { readonly socket_address?: SocketAddress };
  readonly additional_addresses?: readonly { readonly address?: { readonly socket_address?: SocketAddress } }[];
  readonly bind_to_port?: boolean;
}

/** TCP addresses that Envoy will listen on (`envoy.config.listener.v3.Listener`), those of the bootstrap included. */
export function boundAddresses({
  bootstrap,
  listeners,
}: Pick<ProxyFiles, 'bootstrap' | 'listeners'>): readonly { readonly name: string; readonly address: BindAddress }[] {
  const { static_resources: own } = JSON.parse(bootstrap) as { static_resources?: { listeners?: Listener[] } };
  const dynamic = parseResourceFile(listeners).resources as readonly Listener[];
  return [...(own?.listeners ?? []), ...dynamic].flatMap((listener) => {
    if (listener.bind_to_port === false) return [];
    const all = [listener.address, ...(listener.additional_addresses ?? []).map(({ address }) => address)];
    return all.flatMap((address) => {
      const socket = address?.socket_address;
      if (socket?.address === undefined || socket.protocol === 'UDP' || !socket.port_value) return [];
      const isIpv6Only = socket.ipv4_compat !== true;
      return [{ name: nameOf(listener), address: { host: socket.address, port: socket.port_value, isIpv6Only } }];
    });
  });
}
