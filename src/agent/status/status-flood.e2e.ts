import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ask, type StatusBench, startStatusBench } from './testing/status-bench.ts';

/** Opens connections from an address, so many a second, each with 2,000 requests; says each second how many it opened. */
const flooder = `
  const { connect } = require('node:net');
  const [port, localAddress, perSecond] = process.argv.slice(1);
  const requests = Buffer.from('GET /x HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'.repeat(2_000));
  let opened = 0;
  setInterval(() => {
    for (let i = 0; i < perSecond / 20; i++) {
      const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined).on('close', () => socket.destroy()).resume();
      socket.once('connect', () => { opened++; socket.end(requests); });
    }
  }, 50);
  setInterval(() => console.log(opened), 200);
`;

describe('startStatusServer', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  const start = async (...given: Parameters<typeof startStatusBench>): Promise<StatusBench> => {
    const bench = await startStatusBench(...given);
    ends.push(() => bench.close());
    return bench;
  };
  const flood = async (port: number, from: string, perSecond: number): Promise<ChildProcess> => {
    const child = spawn(process.execPath, ['-e', flooder, String(port), from, String(perSecond)]);
    ends.push(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text) => Number.parseInt(String(text), 10) >= 50 && resolve());
      child.once('exit', () => reject(new Error('the flood has ended')));
    });
    return child;
  };
  /** Asks, and takes nothing of the answer but what `take` takes. */
  const scrapeSlowly = async (port: number, localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    ends.push(() => socket.destroy());
    socket.on('error', () => undefined).pause();
    await once(socket, 'connect');
    socket.write('GET /stats/prometheus HTTP/1.1\r\nhost: x\r\n\r\n');
    return socket;
  };

  test.each([
    ['this pod', '127.0.0.1', 60],
    ['another address, as fast as it can', '127.0.0.6', 400],
  ])('answers readiness while requests pour in by the thousand from %s', async (_name, from, perSecond) => {
    const { port } = await start();
    const child = await flood(port, from, perSecond);
    for (let i = 0; i < 20; i++) {
      const startedAt = performance.now();
      expect(await ask(port)).toMatchObject({ status: 200 });
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      await delay(100);
    }
    expect(child.exitCode).toBeNull();
  });

  test('gives slow readers of one address two places of four, and each ten seconds', async () => {
    let made = 0;
    const own = async () => {
      made++;
      return `# ${'x'.repeat(9_000_000)}\n`;
    };
    const { port } = await start({ sources: { own } });
    const asked = { path: '/stats/prometheus' };
    const slow = [await scrapeSlowly(port, '127.0.0.6'), await scrapeSlowly(port, '127.0.0.6')];
    const startedAt = performance.now();
    await eventually(() => expect(made).toBe(2));
    expect(await ask(port, { ...asked, from: '127.0.0.6' })).toMatchObject({ status: 503 });
    expect(await ask(port, asked)).toMatchObject({ status: 200 });
    // Each takes some of its answer all the time, so that no rest of theirs is long.
    const trickle = setInterval(() => {
      for (const socket of slow) socket.read(1_024);
    }, 200);
    ends.push(() => clearInterval(trickle));
    const again = async () => expect(await ask(port, { ...asked, from: '127.0.0.6' })).toMatchObject({ status: 200 });
    await eventually(again, { interval: 500 });
    expect(performance.now() - startedAt).toBeGreaterThan(8_000);
  });

  test.each([
    ['lines that end without a carriage return', 'GET /healthz/ready HTTP/1.1\nhost: x\n\n', /^HTTP\/1\.1 (200|400) /],
    ['empty lines before it', '\r\n\r\nGET /healthz/ready HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 200 /],
    ['a byte at a time', [...'GET /healthz/ready HTTP/1.0\r\n\r\n'], /^HTTP\/1\.1 200 /],
    ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01', /^HTTP\/1\.1 400 /],
    ['an end of its half of the connection behind it', ['GET /healthz/ready HTTP/1.1\r\nhost: x\r\n\r\n', ''], /200/],
    ['empty lines alone', '\r\n'.repeat(5_000), /^HTTP\/1\.1 431 /],
    ['headers that do not end', `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(1_500)}`, /^HTTP\/1\.1 431 /],
  ])('answers a request with %s at once', async (_name, parts, answer) => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    ends.push(() => socket.destroy());
    await once(socket.setNoDelay(true), 'connect');
    let text = '';
    socket.on('data', (part) => (text += part));
    for (const part of [parts].flat()) {
      if (part === '') socket.end();
      else await new Promise((resolve) => socket.write(part, 'latin1', resolve));
    }
    const startedAt = performance.now();
    await once(socket, 'close');
    expect(text).toMatch(answer);
    // Nobody waits until the five seconds for a request are over.
    expect(performance.now() - startedAt).toBeLessThan(4_500);
  });
});
