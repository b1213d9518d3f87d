import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { holdsSocket } from '../life/process-group.ts';
import { ownerOf } from './socket-owner.ts';

let server: Server;
let port: number;
const accepted: Socket[] = [];
beforeEach(async () => {
  server = createServer({ allowHalfOpen: true }, (socket) => void accepted.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  for (const socket of accepted.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** The accepting socket of a connection to `host`. */
async function accept(host: string): Promise<{ readonly client: Socket; readonly end: Socket }> {
  const client = connect(port, host);
  await eventually(() => expect(accepted).toHaveLength(1));
  return { client, end: accepted[0] as Socket };
}

describe('ownerOf', () => {
  test.each(['127.0.0.1', '127.3.4.5', '::1', '::ffff:127.0.0.1'])(
    'gives user and socket of a caller on %s',
    async (host) => {
      const { client, end } = await accept(host);
      const owner = await ownerOf(end);
      expect(owner).toEqual({
        isKnown: true,
        uid: process.getuid?.(),
        name: expect.stringMatching(/^socket:\[\d+\]$/),
      });
      expect(await holdsSocket(process.pid, owner.isKnown ? owner.name : '')).toBe(true);
      client.destroy();
    },
  );

  test('gives the socket of a caller in another process', async () => {
    const child = spawn(process.execPath, ['-e', `require('net').connect(${port}, '127.0.0.1').resume()`]);
    await eventually(() => expect(accepted).toHaveLength(1));
    const owner = await ownerOf(accepted[0] as Socket);
    const name = owner.isKnown ? owner.name : '';
    expect(await holdsSocket(child.pid ?? 0, name)).toBe(true);
    expect(await holdsSocket(process.pid, name)).toBe(false);
    child.kill();
    await once(child, 'exit');
  });

  test('still knows a caller that has closed its half, and none that is gone: user 0 of such an end is nobody', async () => {
    const { client, end } = await accept('127.0.0.1');
    client.end();
    await eventually(() => expect(client.writableFinished).toBe(true));
    expect(await ownerOf(end)).toMatchObject({ isKnown: true });
    client.destroy();
    await eventually(async () => expect(await ownerOf(end)).toEqual({ isKnown: false, why: 'closed' }));
  });

  test('says where the machine shows no table', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tables-'));
    const ends = { remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 2 };
    expect(await ownerOf(ends, folder)).toEqual({ isKnown: false, why: 'no-table' });
    expect(await ownerOf(ends)).toEqual({ isKnown: false, why: 'closed' });
    await rm(folder, { recursive: true });
  });
});
