import ipaddr from 'ipaddr.js';
import type { Settings } from '../../config/settings.ts';
import type { Endpoint } from './model.ts';

/** Name of the socket, in the proxy's configuration folder, over which Envoy gets the workload's private key. */
const identitySocket = 'SDS';

/**
 * Whether an endpoint is the client's own proxy rather than a server: its admin interface on loopback, or the socket that
 * gives away its private key. Both trust whoever can connect, and the proxy can. A path is told by its last part: the
 * folder has many spellings (`/proc/self/cwd/…`).
 */
export function isProxyItself({ address, port }: Pick<Endpoint, 'address' | 'port'>, settings: Settings): boolean {
  if (address.startsWith('unix://')) return address.split('/').at(-1) === identitySocket;
  return port === settings.proxy.adminPort && isLoopback(address);
}

/** The unspecified address leads to loopback too (Linux). */
function isLoopback(address: string): boolean {
  if (!ipaddr.isValid(address)) return /(^|\.)localhost\.?$/.test(address);
  const range = ipaddr.process(address).range();
  return range === 'loopback' || range === 'unspecified';
}
