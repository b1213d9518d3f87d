import { deliverySource } from '../../lib/proxy-addresses.ts';

/** Addresses of one connection, as the socket has them. */
export interface ConnectionEnds {
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localPort?: number | undefined;
}

/**
 * Whether a program of this very pod made the connection, judged by the socket alone, never by a header. 127.0.0.6 and ::6
 * do not count: from there Envoy calls on behalf of whoever called it.
 */
export function isFromThisPod({ remoteAddress, localAddress }: ConnectionEnds): boolean {
  const remote = plain(remoteAddress);
  if (remote === deliverySource.IPv4) return false;
  return isLoopback(remote) && isLoopback(plain(localAddress));
}

/** A socket of both families shows IPv4 addresses as `::ffff:127.0.0.1`. */
function plain(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:/i, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}
