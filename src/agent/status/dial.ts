import { connect, isIPv6, type Socket } from 'node:net';
import { deliverySource } from '../../lib/proxy-addresses.ts';

/**
 * Where a program of this pod may listen: the pod's address, then the loopback addresses of both families, in the order in
 * which they are tried.
 */
export type PodAddresses = readonly string[];

/** For programs that listen on loopback, whichever family they took (`localhost` is not the same everywhere). */
export const loopback: PodAddresses = ['127.0.0.1', '::1'];

/**
 * Opens a connection to the first address that takes one; the last one's error is thrown when none does, the signal's
 * reason when it fires. The connection comes from 127.0.0.6 or ::6 where the machine has that address: redirection lets it
 * go straight to the application.
 */
export async function dial(addresses: PodAddresses, port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const host of addresses) {
    for (const localAddress of [isIPv6(host) ? deliverySource.IPv6 : deliverySource.IPv4, undefined]) {
      signal.throwIfAborted();
      try {
        return await connection(host, port, localAddress, signal);
      } catch (error) {
        failure = error;
        if (!isSourceMissing(error)) break;
      }
    }
  }
  throw failure;
}

/** `::6` must be put on lo first, which redirection does (EADDRNOTAVAIL); and some families cannot reach each other. */
function isSourceMissing(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function connection(
  host: string,
  port: number,
  localAddress: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(localAddress !== undefined && { localAddress }) });
    // Whoever uses the connection listens for its errors; one that comes when nobody does any more ends nothing.
    socket.on('error', () => undefined);
    const give = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', give, { once: true });
    socket.once('connect', () => {
      signal.removeEventListener('abort', give);
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', (error) => {
      signal.removeEventListener('abort', give);
      reject(error);
    });
  });
}
