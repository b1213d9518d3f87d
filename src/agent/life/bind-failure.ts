import { createServer } from 'node:net';

/** A TCP address of this machine. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
  /** Of `::`: whether IPv4 is left to others. Absent: it is not. */
  readonly isIpv6Only?: boolean;
}

/**
 * The system's code for why nobody can listen there alone now; undefined when one can. Without SO_REUSEPORT, unlike
 * Envoy: a port that another one is willing to share is taken too.
 */
export function bindFailure({ host, port, isIpv6Only = false }: BindAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    const listening = { host, port, ipv6Only: isIpv6Only, exclusive: true };
    server.listen(listening, () => server.close(() => resolve(undefined)));
  });
}
