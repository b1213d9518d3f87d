import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import { AgentError } from '../agent-error.ts';
import { type BindAddress, bindFailure } from './bind-failure.ts';
import { portOwner } from './process-table.ts';

/** A TCP address of a listener. */
export interface BoundAddress {
  /** Of the listener. */
  readonly name: string;
  readonly address: BindAddress;
}

/**
 * Throws when another process listens on an address of Envoy's listeners: with SO_REUSEPORT the kernel would give each of
 * two Envoys a part of the connections, and each would apply the policies of its own workload. Call it while no Envoy of
 * this agent listens there. Envoy itself reports other reasons why it can't listen. `listening` are the ports in use,
 * undefined if that is not known.
 */
export async function checkListenerPorts(
  addresses: readonly BoundAddress[],
  listening: ReadonlySet<number> | undefined,
): Promise<void> {
  for (const { name, address } of addresses) {
    // Tried only where the port may be in use: on a free port, the agent would accept a client's connection meanwhile.
    if (listening?.has(address.port) === false || (await bindFailure(address)) !== 'EADDRINUSE') continue;
    const advice = 'end that program, or run this agent in another network namespace: only one proxy can run in each';
    throw new AgentError('listener-bind-failed', `${await listenerFault(name, address)}; ${advice}`);
  }
}

/** That a listener cannot have an address for itself, and whose it is, for people. */
export async function listenerFault(name: string, { host, port }: BindAddress): Promise<string> {
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const owner = (await portOwner(port)) ?? 'another process';
  return `the listener "${name}" cannot use ${place}, where ${owner} listens`;
}

/** TCP addresses that Envoy will listen on, those of the bootstrap included. */
export function boundAddresses({
  bootstrap,
  listeners,
}: Pick<ProxyFiles, 'bootstrap' | 'listeners'>): readonly BoundAddress[] {
  const own = new Fragment(bootstrap).at('static_resources', 'listeners').items;
  const dynamic = listeners.resources.map(({ json }) => new Fragment(json));
  return [...own, ...dynamic].flatMap(addressesOf);
}

/** Those of one listener (`envoy.config.listener.v3.Listener`). */
export function addressesOf(listener: Fragment): readonly BoundAddress[] {
  if (listener.at('bind_to_port').value === false) return [];
  const all = [listener, ...listener.at('additional_addresses').items].map((one) =>
    one.at('address', 'socket_address'),
  );
  return all.flatMap((socket) => {
    const host = socket.at('address').text;
    const port = socket.at('port_value').number;
    if (host === undefined || !port || socket.at('protocol').text === 'UDP') return [];
    const isIpv6Only = socket.at('ipv4_compat').value !== true;
    return [{ name: listener.at('name').text ?? '', address: { host, port, isIpv6Only } }];
  });
}
