import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
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

test.each([
  ['above the port', '%d', (port: number) => port + 1, true],
  ['at the port', '%d', (port: number) => port, false],
  ['at 0', '%d', () => 0, false],
  ['at what is no number', 'x', () => 0, false],
])(
  'tries a port below the first one on which the kernel lets everybody listen: %s',
  async (_, form, start, isTried) => {
    const folder = mkdtempSync(join(tmpdir(), 'admin-port-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const startFile = join(folder, 'start');
    writeFileSync(startFile, `${form.replace('%d', String(start(port)))}\n`);
    const checked = checkAdminPort({ host: '127.0.0.1', port }, { listening: none, taken: none }, startFile);
    // It is taken, which only a trial finds.
    if (isTried) await expect(checked).rejects.toThrow('is taken by');
    else await checked;
  },
);

test('takes the default of the kernel where that does not say from which port on everybody may listen', async () => {
  await checkAdminPort({ host: '127.0.0.1', port }, { listening: none, taken: none }, '/nowhere');
});

test('refuses a number that is no port', async () => {
  const free = { listening: none, taken: none };
  await expect(checkAdminPort({ host: '127.0.0.1', port: 70_000 }, free)).rejects.toThrow(
    "Envoy's admin cannot listen on 127.0.0.1:70000 (ERR_SOCKET_BAD_PORT)",
  );
});
