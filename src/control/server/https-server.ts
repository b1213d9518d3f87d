import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { ControlError } from '../control-error.ts';
import { type Address, formatAddress } from './address.ts';
import type { CertificateSource } from './certificate-provider.ts';
import { requestLimits } from './request-limits.ts';

export interface HttpsServerOptions {
  readonly address: Address;
  /** What new connections are shown, the newest each time. */
  readonly certificates: CertificateSource;
  readonly onRequest: RequestListener;
  /** For a whole request to arrive. */
  readonly requestTimeoutMs: number;
  /** For the next request on a connection that stays open; 5 s by default. */
  readonly keepAliveTimeoutMs?: number;
  /** In bytes. */
  readonly maxHeaderSize: number;
  readonly mostConnections: number;
}

export interface HttpsServer {
  readonly port: number;
  /** Ends connections too. */
  close(): Promise<void>;
}

/**
 * Clients choose among the ciphers, which are the same ones: that of Go's client has SHA-256, for which processors have
 * instructions. An API server makes a new connection for most requests of a burst, so that a handshake's cost counts.
 */
const handshake = { minVersion: 'TLSv1.2', honorCipherOrder: false } as const;

/** Serves HTTP/1.1 over TLS with the control plane's certificate; a `ControlError` where it cannot listen. */
export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  const { address, certificates, onRequest, requestTimeoutMs, maxHeaderSize, mostConnections } = options;
  const { keepAliveTimeoutMs: keepAliveTimeout } = options;
  const timeouts = {
    ...requestLimits(requestTimeoutMs),
    ...(keepAliveTimeout !== undefined && { keepAliveTimeout }),
  };
  const server = createServer({ ...handshake, ...timeouts, maxHeaderSize }, onRequest);
  server.maxConnections = mostConnections;
  // Who keeps connections without asking does not lock others out: these find room when they try again.
  server.on('drop', () => server.closeIdleConnections());
  const follow: Parameters<CertificateSource['addIdentityCertificateListener']>[0] = (pair) => {
    if (pair !== null) server.setSecureContext({ cert: pair.certificate, key: pair.privateKey, ...handshake });
  };
  certificates.addIdentityCertificateListener(follow);
  const port = await listen(server, address);
  return {
    port,
    close: () => {
      certificates.removeIdentityCertificateListener(follow);
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, address: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new ControlError('listen-failed', `cannot serve ${formatAddress(address)}`, { cause }));
    });
    const done = (): void => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : address.port);
    };
    if (address.host === '') server.listen(address.port, done);
    else server.listen(address.port, address.host, done);
  });
}
