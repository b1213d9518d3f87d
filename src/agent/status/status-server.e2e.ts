import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { Readiness } from './readiness.ts';
import { ask, type StatusBench, type StatusBenchOptions, startStatusBench } from './testing/status-bench.ts';

describe('startStatusServer', () => {
  const open: StatusBench[] = [];
  const sockets: Socket[] = [];
  const start = async (options: StatusBenchOptions = {}): Promise<StatusBench> => {
    const bench = await startStatusBench(options);
    open.push(bench);
    return bench;
  };
  /** Connections that never send a whole request. */
  const flood = async (port: number, count: number, text = ''): Promise<Socket[]> => {
    const made = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
    sockets.push(...made);
    await Promise.all(
      made.map((socket) => {
        socket.on('error', () => undefined).resume();
        return new Promise<void>((resolve) =>
          socket.once('connect', () => socket.write(text || '\r\n', () => resolve())),
        );
      }),
    );
    return made;
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const bench of open.splice(0)) await bench.close();
  });

  test('is ready with an empty body, also for probes with a query, and over IPv4 and IPv6', async () => {
    const { port } = await start();
    for (const path of ['/healthz/ready', '/healthz/ready?probe=1&x=/../y']) {
      expect(await ask(port, { path, headers: { connection: 'keep-alive' } })).toMatchObject({
        ...{ status: 200, body: '', headers: { connection: 'close' } },
      });
    }
    expect(await ask(port, { host: '::1' })).toMatchObject({ status: 200 });
  });

  test('answers 503 with the reason when clusters came and no listener, and logs it once', async () => {
    const get = async () => ({ status: 200, body: 'cluster_manager.cds.update_success: 1\n' });
    const readiness = new Readiness({ admin: () => ({ get, post: get }), state: () => 'starting' });
    const { port, lines } = await start({ readiness });
    const reason = 'the agent is starting: listeners: Envoy has none yet';
    for (let i = 0; i < 3; i++) expect(await ask(port)).toMatchObject({ status: 503, body: `${reason}\n` });
    expect(lines.filter((line) => line.includes(reason))).toHaveLength(1);
  });

  test.each([
    ['::1', '::1'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '127.9.9.9'],
  ])('drains and quits when asked on %s from %s', async (host, from) => {
    const { port, actions } = await start();
    expect(await ask(port, { method: 'POST', path: '/drain', host, from })).toMatchObject({ status: 200, body: 'OK' });
    const quit = { method: 'POST', path: '/quitquitquit', host, from };
    expect(await ask(port, quit)).toMatchObject({ status: 200, body: 'OK' });
    await eventually(() => expect(actions).toEqual(['drain', 'quit']));
  });

  test('answers 403 to POST /quitquitquit from the address of the pod, whatever its headers say', async () => {
    const { port, actions } = await start();
    const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
      addresses.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
    );
    const callers = [...own.map((host) => ({ host })), { from: '127.0.0.6' }];
    const headers = { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1', host: 'localhost' };
    for (const caller of callers) {
      for (const path of ['/quitquitquit', '/drain']) {
        expect(await ask(port, { ...caller, method: 'POST', path, headers })).toMatchObject({ status: 403 });
      }
    }
    expect(actions).toEqual([]);
  });

  test('answers 405 to GET /quitquitquit from loopback', async () => {
    const { port, actions } = await start();
    expect(await ask(port, { path: '/quitquitquit' })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(actions).toEqual([]);
  });

  test('says with 503 that a drain cannot be begun', async () => {
    const drain = () => Promise.reject(new Error('no Envoy is serving'));
    const { port } = await start({ actions: { drain, quit: () => undefined } });
    const answer = await ask(port, { method: 'POST', path: '/drain' });
    expect(answer).toMatchObject({ status: 503, body: 'Envoy cannot be asked to drain: no Envoy is serving\n' });
  });

  test('names a probe that it does not know with 400, without a control character', async () => {
    const { port } = await start();
    expect(await ask(port, { path: '/app-health/nobody/livez?x' })).toMatchObject({
      status: 400,
      body: 'no probe is known for "/app-health/nobody/livez"\n',
      headers: { 'x-content-type-options': 'nosniff' },
    });
  });

  test('closes connections that send too much: headers, and a body that nobody asked for', async () => {
    const { port } = await start();
    expect(await ask(port, { headers: { long: 'x'.repeat(9_000) } })).toMatchObject({ status: 431 });
    const [socket] = await flood(
      port,
      1,
      'POST /healthz/ready HTTP/1.1\r\nhost: x\r\ncontent-length: 999999999\r\n\r\n',
    );
    const closed = new Promise((resolve) => socket?.once('close', resolve));
    const more = setInterval(() => socket?.write(Buffer.alloc(32_768)), 5);
    await closed;
    clearInterval(more);
    expect(await ask(port)).toMatchObject({ status: 200 });
  });

  test('closes a connection whose request does not come to its end', async () => {
    const { port } = await start();
    const slow = await flood(port, 2, 'GET /healthz/ready HTTP/1.1\r\n');
    const drip = setInterval(() => slow[0]?.write('x: y\r\n'), 200);
    await Promise.all(slow.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    clearInterval(drip);
  });

  test.each([
    ['idle connections', ''],
    ['requests that do not come to their end', 'GET /stats/prometheus HTTP/1.1\r\nhost:'],
  ])('answers readiness under a flood of %s', async (_name, text) => {
    const { port } = await start();
    for (let round = 0; round < 4; round++) {
      await flood(port, 150, text);
      expect(await ask(port)).toMatchObject({ status: 200 });
    }
  });

  test('answers readiness while probes hang, and refuses more of them', async () => {
    const silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', () => resolve()));
    const action = { kind: 'grpc', port: (silent.address() as AddressInfo).port, service: '' } as const;
    const path = '/app-health/app/readyz';
    const { port } = await start({ probes: new Map([[path, { action, timeoutMs: 5_000 }]]) });
    let timedOut = 0;
    const probes = Array.from({ length: 60 }, async () => {
      const answer = await ask(port, { path });
      if (answer.status === 500) timedOut += 1;
      return answer;
    });
    expect(await ask(port)).toMatchObject({ status: 200 });
    expect(timedOut).toBe(0);
    const statuses = (await Promise.all(probes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(12);
    expect(statuses.filter((status) => status === 500)).toHaveLength(48);
    silent.close();
  });

  test('answers readiness while scrapes hang, and refuses more of them', async () => {
    let isOver: () => void = () => undefined;
    const over = new Promise<string>((resolve) => {
      isOver = () => resolve('late 1\n');
    });
    const { port } = await start({ sources: { own: () => over } });
    const scrapes = Array.from({ length: 60 }, () => ask(port, { path: '/stats/prometheus' }));
    const refused = await Promise.race([Promise.all(scrapes.slice(4)), delay(5_000, [])]);
    expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 56 }, () => 503));
    expect(await ask(port)).toMatchObject({ status: 200 });
    isOver();
    expect((await Promise.all(scrapes.slice(0, 4))).map(({ body }) => body)).toEqual(Array(4).fill('late 1\n'));
    expect(await ask(port, { path: '/stats/prometheus' })).toMatchObject({ status: 200 });
  });

  test('takes scrapes again after readers that went away before their answer was made', async () => {
    const late: (() => void)[] = [];
    let isLate = true;
    const own = () => new Promise<string>((resolve) => (isLate ? late.push(() => resolve('')) : resolve('now 1\n')));
    const { port } = await start({ sources: { own } });
    const gone = await flood(port, 4, 'GET /stats/prometheus HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(late).toHaveLength(4));
    for (const socket of gone) socket.resetAndDestroy();
    for (let i = 0; i < 5; i++) expect(await ask(port)).toMatchObject({ status: 200 });
    for (const answer of late) answer();
    isLate = false;
    expect(await ask(port, { path: '/stats/prometheus' })).toMatchObject({ status: 200, body: 'now 1\n' });
  });

  test('takes one request a connection, however many are sent at once', async () => {
    const { port, actions } = await start();
    const request = (line: string): string => `${line} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const more = [...Array(5).fill(request('GET /stats/prometheus')), request('POST /drain')];
    const [socket] = await flood(port, 1, [request('GET /nothing'), ...more].join(''));
    await new Promise((resolve) => socket?.once('close', resolve));
    expect(await ask(port, { path: '/stats/prometheus' })).toMatchObject({ status: 200 });
    expect(actions).toEqual([]);
  });

  test('gives the metrics of the agent alone while no Envoy runs, and counts that', async () => {
    const { port, failures } = await start();
    const answer = await ask(port, { path: '/stats/prometheus' });
    expect(answer).toMatchObject({ status: 200, body: 'agent_metric 1\n' });
    expect(failures).toEqual(['envoy']);
  });

  test('logs once that a probe or a part of the metrics fails, and once that it answers again, however often it is asked', async () => {
    const app = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', () => resolve()));
    const action = { kind: 'tcp', port: (app.address() as AddressInfo).port } as const;
    const path = '/app-health/app/livez';
    let isBroken = true;
    const own = () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(''));
    const { port, lines } = await start({ probes: new Map([[path, { action, timeoutMs: 1_000 }]]), sources: { own } });
    const count = (text: string): number => lines.filter((line) => line.includes(text)).length;
    const askAll = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) for (const asked of [path, '/stats/prometheus']) await ask(port, { path: asked });
    };
    await new Promise((resolve) => app.close(resolve));
    await askAll();
    expect([count('probe of the application failed'), count('part=agent reason=broken')]).toEqual([1, 1]);
    isBroken = false;
    await new Promise<void>((resolve) => app.listen(action.port, '127.0.0.1', () => resolve()));
    await askAll();
    expect([count('is answered again'), count('is there again\tpart=agent')]).toEqual([1, 1]);
    app.close();
  });

  test('says which port it cannot serve', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toMatchObject({ code: 'status-bind-failed' });
  });
});
