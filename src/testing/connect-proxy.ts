import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy that is asked for tunnels (CONNECT), as those at the edge of a network are. */
export interface ConnectProxy {
  readonly port: number;
  /** `host:port` of each tunnel that was asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Starts it on loopback. `authorization` is what it wants in `proxy-authorization`; others are answered with 407. */
export async function startConnectProxy(authorization?: string): Promise<ConnectProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', (request, client: Socket, head) => {
    asked.push(request.url ?? '');
    open.add(client);
    client.on('error', () => client.destroy());
    if (authorization !== undefined && request.headers['proxy-authorization'] !== authorization) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(request.url ?? '') ?? [];
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
