import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IssuedCertificate } from './certificates.ts';

/** A real HTTP or HTTPS server on loopback, and what it saw. */
export interface TestServer {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
  /** TCP connections ever accepted. */
  readonly connections: number;
  /** Those that are open now. */
  readonly open: number;
  close(): Promise<void>;
}

/** Listens on a free port of `address`; with a certificate it speaks TLS. */
export async function startTestServer(
  answer: RequestListener,
  options: { readonly certificate?: IssuedCertificate; readonly address?: string } = {},
): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    return answer(request, response);
  };
  const { certificate, address = '127.0.0.1' } = options;
  const server: Server = certificate
    ? createTlsServer({ cert: certificate.certificateChain, key: certificate.privateKey }, listener)
    : createServer(listener);
  let connections = 0;
  let open = 0;
  server.on('connection', (socket) => {
    connections++;
    open++;
    socket.on('close', () => open--);
  });
  server.listen(0, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return open;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
