import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect as connectHttp } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ControlBench, send } from '../testing/control-bench.ts';
import { createTestRequest } from '../testing/signing-requests.ts';
import { type ConnectionLimits, usualConnectionLimits } from './connection-limits.ts';

describe('limitConnections', () => {
  let bench: ControlBench;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    bench = await ControlBench.create();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await bench.close();
  });

  const start = (limits: Partial<ConnectionLimits>): Promise<void> =>
    bench.start((config) => ({
      ...config,
      secure: { ...config.secure!, connections: { ...usualConnectionLimits, ...limits } },
    }));
  const open = async (localAddress = '127.0.0.1', allowHalfOpen = false): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: bench.port, localAddress, allowHalfOpen });
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const isClosed = async (socket: Socket): Promise<boolean> => {
    socket.resume();
    // Not `once`: it rejects when the close begins with an error, as a reset does.
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    return true;
  };
  const refusals = async (): Promise<readonly string[]> => {
    const text = await (await fetch(`${bench.monitoring}/metrics`)).text();
    return text.split('\n').flatMap((line) => /^meshd_connections_refused_count\{reason="(.*)$/.exec(line)?.[1] ?? []);
  };
  const answer = async (): Promise<string | undefined> => {
    const root = await readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
    const { csr } = await createTestRequest();
    return status[(await bench.call(root, { csr, token: await bench.mint.mint('foo/httpbin') })).code];
  };

  test('closes connections of one address above its limit, and serves other addresses and later connections', async () => {
    await start({ perAddress: 3 });
    const held = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.2')];
    expect(await isClosed(await open('127.0.0.2'))).toBe(true);
    expect(held.map(({ closed }) => closed)).toEqual([false, false, false]);
    expect(await refusals()).toEqual(['address"} 1']);
    expect(await answer()).toBe('OK');
    held[0]?.destroy();
    await eventually(async () => {
      const socket = await open('127.0.0.2');
      const first = await Promise.race([once(socket, 'close'), answer()]);
      expect(first).toBe('OK');
    });
  });

  test('closes connections above the total limit', async () => {
    await start({ inAll: 2 });
    await open('127.0.0.2');
    await open('127.0.0.3');
    expect(await isClosed(await open('127.0.0.4'))).toBe(true);
    expect(await refusals()).toEqual(['total"} 1']);
  });

  test('closes a connection whose handshake does not end, and none whose handshake has ended', async () => {
    await start({ handshakeMs: 1_000 });
    const early = connectTls({ socket: await open(), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    await once(early, 'secureConnect');
    expect(await isClosed(await open())).toBe(true);
    expect(early.closed).toBe(false);
    expect(await refusals()).toEqual(['handshake"} 1']);
    expect(await answer()).toBe('OK');
  });

  test('closes an idle connection whose client does not leave, and none that has a request in progress', async () => {
    await start({ perAddress: 1, idleMs: 200, leaveMs: 50 });
    const root = await readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
    const socket = await open('127.0.0.2', true);
    const stays = connectTls({ socket, ca: root, ALPNProtocols: ['h2'], servername: 'meshd.mesh-system.svc' });
    stays.on('error', () => undefined);
    await once(stays, 'secureConnect');
    stays.resume();
    // A place of its address is free again only when the listener has let go of the connection.
    await eventually(async () => {
      const next = connectTls({ socket: await open('127.0.0.2'), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
      await once(next, 'secureConnect');
    });
    expect(stays.writable).toBe(true);
    const client = bench.connect(root);
    const { csr } = await createTestRequest();
    const token = await bench.mint.mint('foo/httpbin');
    const answers = [await send(client, { csr, token })];
    await new Promise((resolve) => setTimeout(resolve, 300));
    answers.push(await send(client, { csr, token }));
    client.close();
    expect(answers.map(({ code }) => status[code])).toEqual(['OK', 'OK']);
  });

  test('asks each client to reconnect at a random age, within a tenth of the configured one', async () => {
    const ageMs = 2_000;
    await start({ ageMs });
    const root = await readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
    const ages = Array.from({ length: 12 }, async () => {
      const session = connectHttp(`https://127.0.0.1:${bench.port}`, { ca: root, servername: 'meshd.mesh-system.svc' });
      session.on('error', () => undefined);
      await once(session, 'connect');
      const began = performance.now();
      await once(session, 'goaway');
      session.destroy();
      return performance.now() - began;
    });
    const sorted = (await Promise.all(ages)).sort((a, b) => a - b);
    // The server begins to count before the client does.
    expect(sorted[0]).toBeGreaterThan(0.9 * ageMs - 500);
    // All of a replica would meet the next one at once.
    expect((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)).toBeGreaterThan(0.03 * ageMs);
  });

  test('holds two hundred agents behind one address with the usual limits', async () => {
    await bench.start();
    await Promise.all(Array.from({ length: 200 }, () => open('127.0.0.2')));
    expect(await answer()).toBe('OK');
    expect(await refusals()).toEqual([]);
  });
});
