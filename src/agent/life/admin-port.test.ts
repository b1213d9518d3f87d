import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkAdminPort } from './admin-port.ts';

const none: ReadonlySet<number> = new Set();

let server: Server;
let port: number;
beforeEach(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as { readonly port: number });
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

test.each([
  ['nothing is known of the ports', () => undefined],
  ['somebody listens there', () => ({ listening: new Set([port]), taken: new Set([port]) })],
  ['a connection has the port', () => ({ listening: none, taken: new Set([port]) })],
])('names the owner of the port where %s', async (_, ports) => {
  await expect(checkAdminPort({ host: '127.0.0.1', port }, ports())).rejects.toThrow(
    new RegExp(`127\\.0\\.0\\.1:${port}, is taken by process ${process.pid} \\(`),
  );
});

test('does not try a port of loopback that nobody has', async () => {
  // If it did, this port, which is taken, would be refused.
  await checkAdminPort({ host: '127.0.0.1', port }, { listening: none, taken: none });
});

test('tries an address that may not be of this machine', async () => {
  const free = { listening: none, taken: none };
  await expect(checkAdminPort({ host: '192.0.2.1', port }, free)).rejects.toThrow('192.0.2.1');
});
