import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { identityOf, listeningPorts, portOwner, portsInUse } from './process-table.ts';

describe('identityOf', () => {
  test('is the start of the process, the boot, and the namespace in which its number counts', async () => {
    const [, started] = /\) \S(?: -?\d+){18} (\d+) /.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
    expect(await identityOf(process.pid)).toEqual({
      pid: process.pid,
      startTicks: Number(started),
      bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      namespace: expect.stringMatching(/^pid:\[\d+\]$/),
    });
    expect(Number(started)).toBeGreaterThan(0);
  });

  test('is undefined for a process that has ended and is a zombie', async () => {
    // `exec` puts a program that waits for no child in the place of the shell.
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 10']);
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    expect((await identityOf(pid))?.pid).toBe(pid);
    await eventually(async () => expect(await identityOf(pid)).toBeUndefined());
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    parent.kill();
  });

  test('is none of a number that no process has', async () => {
    expect(await identityOf(4_194_305)).toBeUndefined();
  });
});

test('portOwner names the process that listens on a port', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  expect(await portOwner(port)).toMatch(new RegExp(`^process ${process.pid} \\(.+\\)$`));
  expect((await listeningPorts())?.has(port)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(await portOwner(port)).toBeUndefined();
  expect((await listeningPorts())?.has(port)).toBe(false);
});

test('portsInUse has the ports of connections among those taken, and not among those where somebody listens', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const client = connect(port, '127.0.0.1');
  await once(client, 'connect');
  const { listening, taken } = (await portsInUse()) ?? {};
  const own = client.localPort ?? 0;
  expect([listening?.has(port), listening?.has(own), taken?.has(port), taken?.has(own)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
  expect(await portsInUse('/nosuch')).toBeUndefined();
});

test('a connection that the kernel only remembers takes no port, which the next server gets', async () => {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  // Who closes first has the connection in TIME_WAIT.
  const client = connect(port, '127.0.0.1').resume();
  await once(client, 'close');
  await new Promise((resolve) => server.close(resolve));
  const remembered = new RegExp(`^ *\\d+: \\w+:${port.toString(16).toUpperCase().padStart(4, '0')} \\w+:\\w+ 06 `, 'm');
  expect(readFileSync('/proc/net/tcp', 'utf8')).toMatch(remembered);
  expect((await portsInUse())?.taken.has(port)).toBe(false);
  const next = createServer();
  await new Promise<void>((resolve) => next.listen(port, '127.0.0.1', resolve));
  await new Promise((resolve) => next.close(resolve));
});
