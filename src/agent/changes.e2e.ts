import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createAdminClient } from '../envoy/admin.ts';
import { eventually } from '../testing/eventually.ts';
import { freePort } from '../testing/free-ports.ts';
import { noObserver } from './reload/observer.ts';
import { httpGet } from './testing/agent-bench.ts';
import { startingAgents } from './testing/life-probe.ts';
import { unbindable } from './testing/sample-proxy.ts';

const start = startingAgents();

describe('an agent whose inputs change', () => {
  test('brings a changed route, listener and cluster into force', async () => {
    const agent = await start();
    await agent.untilReady();
    await agent.change({ body: 'two' });
    await eventually(async () => expect((await agent.get()).body).toBe('two'));
    await agent.change({ listenerExtras: { listener_filters_timeout: '3s' }, upstream: { name: 'late', port: 1 } });
    await eventually(() => expect(agent.lines.join('').split('configuration in force')).toHaveLength(4));
    expect((await agent.get('/upstream')).status).toBe(503);
    await agent.change({ upstream: { name: 'later', port: 1 } });
    await eventually(() => expect(agent.lines.join('').split('configuration in force')).toHaveLength(5));
  });

  test('keeps no configuration that a later one has replaced, the first one neither', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const agent = await start();
    await agent.untilReady();
    for (const body of ['two', 'three']) {
      await agent.change({ body });
      await eventually(async () => expect((await agent.get()).body).toBe(body));
    }
    await eventually(() => {
      collectGarbage();
      expect(agent.given.filter((files) => files.deref() !== undefined)).toHaveLength(1);
    });
    expect(agent.given.length).toBeGreaterThan(2);
  });

  test('serves every request through changes of routes, listeners and clusters', async () => {
    const agent = await start();
    await agent.untilReady();
    const answers: number[] = [];
    let isChanging = true;
    const client = (async () => {
      while (isChanging) answers.push((await agent.get()).status);
    })();
    for (let i = 1; i <= 12; i++) {
      const extras = { listener_filters_timeout: `${1 + (i % 3)}s` };
      await agent.change({ body: `${i}`, listenerExtras: extras, upstream: { name: `up-${i}`, port: 1 } });
      await eventually(async () => expect((await agent.get()).body).toBe(`${i}`));
    }
    isChanging = false;
    await client;
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.filter((status) => status !== 200)).toEqual([]);
  });

  test('has a request that waits in a filter answered by a cluster that goes meanwhile, and the cluster gone soon', async () => {
    const backend = createHttpServer((_request, response) => response.end('served'));
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    const { port } = backend.address() as AddressInfo;
    const agent = await start({ sample: { upstream: { name: 'up', port }, slowSeconds: 1.5 } });
    await agent.untilReady();
    const admin = createAdminClient({ port: agent.sample.adminPort });
    const shows = async (path: string, text: RegExp, is = true): Promise<void> =>
      eventually(async () => expect(text.test((await admin.get(path)).body)).toBe(is));
    const waiting = agent.get('/upstream/slow');
    await shows('/stats?filter=fault', /delays_injected: 1/);
    await agent.change({ upstream: { name: 'other', port } });
    await eventually(() => expect(agent.lines.join('').split('configuration in force')).toHaveLength(3));
    expect(await waiting).toEqual({ status: 200, body: 'served' });
    await shows('/clusters', /^up::/m, false);
    await shows('/clusters', /^other::/m);
    backend.close();
  });

  test('keeps serving while its folder cannot be written, and tries again without a further change', async () => {
    const agent = await start();
    await agent.untilReady();
    const obstacle = join(agent.folder, 'proxy/listeners.json.tmp');
    await mkdir(obstacle);
    const extras = { listener_filters_timeout: '3s' };
    await agent.change({ body: 'two', listenerExtras: extras, upstream: { name: 'up', port: 1 } });
    await agent.untilLogged('EISDIR');
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
    expect(await agent.readiness()).toBe(200);
    expect(await readdir(join(agent.folder, 'proxy/routes'))).toEqual(['app.json']);
    await rmdir(obstacle);
    await eventually(async () => expect((await agent.get()).body).toBe('two'));
    expect(agent.lines.join('').split('the change is not taken')).toHaveLength(2);
  });

  test.each([
    ['removed', (path: string) => rm(path, { recursive: true })],
    ['replaced', (path: string) => rename(path, `${path}-old`).then(() => mkdir(path))],
    ['without its routes', (path: string) => rm(join(path, 'routes'), { recursive: true })],
  ])('says, once, that Envoy no longer hears of changes when its folder was %s, and counts each', async (_, spoil) => {
    const refused: string[] = [];
    const reload = { ...noObserver, refused: (reason: string) => void refused.push(reason) };
    const agent = await start({ parts: { observers: { reload } } });
    await agent.untilReady();
    await spoil(join(agent.folder, 'proxy'));
    await agent.change({ body: 'two' });
    await eventually(() => expect(refused.length).toBeGreaterThan(1));
    expect(new Set(refused)).toEqual(new Set(['world']));
    const said = agent.lines.filter((line) => line.includes('was removed or replaced'));
    expect(said).toEqual([expect.stringMatching(/\terror\t.*no change reaches Envoy any more; start the agent again/)]);
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
  });

  test('keeps serving the last valid configuration when a change does not compile, and recovers', async () => {
    const agent = await start();
    await agent.untilReady();
    await agent.change({ problems: ['policies/a.yaml:3:1: error: unknown field "mod"'] });
    await agent.untilLogged('unknown field "mod"');
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
    expect(await agent.readiness()).toBe(200);
    await agent.change({ body: 'mended' });
    await eventually(async () => expect((await agent.get()).body).toBe('mended'));
  });

  test('keeps serving what was good when Envoy would refuse a change, and says why', async () => {
    const agent = await start();
    await agent.untilReady();
    await agent.change({ listenerExtras: { listener_filters_timeout: '-3s' }, body: 'two' });
    await agent.untilLogged('Envoy refuses it');
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
  });

  test('restores the previous configuration when Envoy refuses a change that passed validation', async () => {
    const agent = await start();
    await agent.untilReady();
    const goodPort = agent.sample.httpPort;
    await withHeldPort(async (port) => {
      await agent.change({ httpPort: port, body: 'two', upstream: { name: 'new', port: 1 } });
      await agent.untilLogged('the last valid configuration stays in force: Envoy refused it');
    });
    await eventually(async () => expect(await httpGet(goodPort, '/')).toEqual({ status: 200, body: 'one' }));
    await agent.change({ httpPort: goodPort, body: 'three', upstream: { name: 'new', port: 1 } });
    await eventually(async () => expect((await agent.get()).body).toBe('three'));
    expect(await agent.readiness()).toBe(200);
  });

  test('refuses a new listener on a port that another process shares, and takes a port of its own again at once', async () => {
    const agent = await start();
    await agent.untilReady();
    const goodPort = agent.sample.httpPort;
    const other = createServer((socket) => socket.end('not judged by any policy'));
    const port = await new Promise<number>((resolve) => {
      const shared = { host: '127.0.0.1', port: 0, reusePort: true, exclusive: true };
      other.listen(shared, () => resolve((other.address() as AddressInfo).port));
    });
    await agent.change({ httpPort: port, body: 'two' });
    await agent.untilLogged(`the listener "inbound" cannot use 127.0.0.1:${port}, where process ${process.pid} (`);
    expect(await httpGet(goodPort, '/')).toEqual({ status: 200, body: 'one' });
    await new Promise((resolve) => other.close(resolve));
    await agent.change({ httpPort: port, body: 'three' });
    await eventually(async () => expect((await agent.get()).body).toBe('three'));
    // Envoy still drains the first port.
    await agent.change({ httpPort: goodPort, body: 'four' });
    await eventually(async () => expect((await agent.get()).body).toBe('four'));
  });

  test('becomes ready when a change mends the first configuration', async () => {
    const agent = await start({ sample: unbindable });
    await agent.untilLogged('the first configuration is not in force yet');
    await agent.change({ listenerExtras: {} });
    await agent.untilReady();
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
  });

  test('rejects a change that needs an identity when the agent has none', async () => {
    const agent = await start();
    await agent.untilReady();
    await agent.change({ tlsPort: await freePort() });
    await agent.untilLogged('PROV_CERT');
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
  });
});

async function withHeldPort(use: (port: number) => Promise<void>): Promise<void> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  try {
    await use((holder.address() as AddressInfo).port);
  } finally {
    holder.close();
  }
}
