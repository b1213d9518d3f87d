import { createServer } from 'node:net';

/** A TCP address of this machine. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
  /** Of `::`: whether IPv4 is left to others. Absent: it is not. */
  readonly isIpv6Only?: boolean;
  /** Listens with SO_REUSEPORT, as Envoy does: a port that another one is willing to share is free. Absent: without. */
  readonly isSharing?: boolean;
}

/**
 * The system's code for why nobody can listen there now; undefined when one can. Where it is free, connections that come
 * at this moment are accepted and closed.
 */
export function bindFailure({
  host,
  port,
  isIpv6Only = false,
  isSharing = false,
}: BindAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    const fail = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    server.once('error', fail);
    const listening = { host, port, ipv6Only: isIpv6Only, exclusive: true, reusePort: isSharing };
    try {
      server.listen(listening, () => server.close(() => resolve(undefined)));
    } catch (error) {
      // Of a number that is no port.
      fail(error as NodeJS.ErrnoException);
    }
  });
}
