import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type AgentBench, type BenchOptions, httpGet, startBench } from './testing/agent-bench.ts';
import { freePort } from './testing/sample-proxy.ts';

describe('runAgent', () => {
  const open: AgentBench[] = [];
  const start = async (options: BenchOptions = {}): Promise<AgentBench> => {
    const bench = await startBench(options);
    open.push(bench);
    return bench;
  };
  afterEach(async () => {
    for (const bench of open.splice(0)) await bench.close();
  });

  test('starts Envoy and is ready once the first configuration is in force', async () => {
    const agent = await start();
    expect(await agent.readiness()).not.toBe(200);
    await agent.untilReady();
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
    expect(agent.lines.join('')).toContain('configuration in force');
  });

  test('brings a changed route, listener and cluster into force', async () => {
    const agent = await start();
    await agent.untilReady();
    await agent.change({ body: 'two' });
    await vi.waitFor(async () => expect((await agent.get()).body).toBe('two'), 10_000);
    await agent.change({ listenerExtras: { listener_filters_timeout: '3s' }, upstream: { name: 'late', port: 1 } });
    await vi.waitFor(() => expect(agent.lines.join('').split('configuration in force')).toHaveLength(4), 10_000);
    expect((await agent.get('/upstream')).status).toBe(503);
    await agent.change({ upstream: { name: 'later', port: 1 } });
    await vi.waitFor(() => expect(agent.lines.join('').split('configuration in force')).toHaveLength(5), 10_000);
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
      await vi.waitFor(async () => expect((await agent.get()).body).toBe(`${i}`), 10_000);
    }
    isChanging = false;
    await client;
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.filter((status) => status !== 200)).toEqual([]);
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
    await vi.waitFor(async () => expect((await agent.get()).body).toBe('two'), 10_000);
    expect(agent.lines.join('').split('the change is not taken')).toHaveLength(2);
  });

  test('keeps serving the last good configuration when a change does not compile, and recovers', async () => {
    const agent = await start();
    await agent.untilReady();
    await agent.change({ problems: ['policies/a.yaml:3:1: error: unknown field "mod"'] });
    await agent.untilLogged('unknown field "mod"');
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
    expect(await agent.readiness()).toBe(200);
    await agent.change({ body: 'mended' });
    await vi.waitFor(async () => expect((await agent.get()).body).toBe('mended'), 10_000);
  });

  test('keeps serving what was good when Envoy would refuse a change, and says why', async () => {
    const agent = await start();
    await agent.untilReady();
    await agent.change({ listenerExtras: { listener_filters_timeout: '-3s' }, body: 'two' });
    await agent.untilLogged('Envoy refuses it');
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
  });

  test('returns to what was good when Envoy refuses a change that validation lets pass', async () => {
    const agent = await start();
    await agent.untilReady();
    const goodPort = agent.sample.httpPort;
    await withHeldPort(async (port) => {
      await agent.change({ httpPort: port, body: 'two', upstream: { name: 'new', port: 1 } });
      await agent.untilLogged('the last good configuration stays in force: Envoy refused it');
    });
    await vi.waitFor(async () => expect(await httpGet(goodPort, '/')).toEqual({ status: 200, body: 'one' }), 10_000);
    await agent.change({ httpPort: goodPort, body: 'three', upstream: { name: 'new', port: 1 } });
    await vi.waitFor(async () => expect((await agent.get()).body).toBe('three'), 10_000);
    expect(await agent.readiness()).toBe(200);
  });

  test('becomes ready when a change mends the first configuration', async () => {
    await withHeldPort(async (port) => {
      const agent = await start({ sample: { httpPort: port } });
      await agent.untilLogged('Address already in use');
      await agent.change({ httpPort: await freePort() });
      await agent.untilReady();
      expect(await agent.get()).toEqual({ status: 200, body: 'one' });
    });
  });

  test('does not take a change that needs an identity which nobody named', async () => {
    const agent = await start();
    await agent.untilReady();
    await agent.change({ tlsPort: await freePort() });
    await agent.untilLogged('PROV_CERT');
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
  });

  test('drains plainly: new connections are refused at once, a request in flight finishes', async () => {
    const agent = await start({ config: { terminationDrainMs: 3_000 }, sample: { slowSeconds: 1 } });
    await agent.untilReady();
    const inFlight = agent.get('/slow');
    await delay(200);
    const startedAt = performance.now();
    agent.signal('SIGTERM');
    while ((await agent.get()).status !== 0) await delay(2);
    expect(performance.now() - startedAt).toBeLessThan(50);
    expect(await agent.readiness()).toBe(503);
    expect((await inFlight).status).toBe(200);
    expect(await agent.exitCode).toBe(0);
  });

  test('drains gracefully: new connections are served for the first part of the wait, then refused', async () => {
    const agent = await start({ config: { terminationDrainMs: 2_000, terminationDrain: 'graceful' } });
    await agent.untilReady();
    const startedAt = performance.now();
    agent.signal('SIGTERM');
    await agent.untilLogged('draining');
    while (performance.now() - startedAt < 1_000) expect((await agent.get()).status).toBe(200);
    await vi.waitFor(async () => expect((await agent.get()).status).toBe(0), { timeout: 500, interval: 5 });
    expect(await agent.exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeGreaterThan(1_950);
  });

  test('skips the rest of the wait at a second signal', async () => {
    const agent = await start({ config: { terminationDrainMs: 60_000 } });
    await agent.untilReady();
    agent.signal('SIGTERM');
    await agent.untilLogged('draining');
    const startedAt = performance.now();
    agent.signal('SIGINT');
    expect(await agent.exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test('leaves at once, without an Envoy, when the signal comes before the start', async () => {
    const agent = await start();
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    expect(agent.lines.join('')).not.toContain('state=starting');
  });

  test('stops without a drain when the signal comes while Envoy starts', async () => {
    const agent = await start({ config: { terminationDrainMs: 60_000 } });
    await agent.untilLogged('state=starting');
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    expect(agent.lines.join('')).not.toContain('state=draining');
  });

  test('passes on the end of an Envoy that was killed', async () => {
    const agent = await start();
    await agent.untilReady();
    process.kill(envoyPid(agent), 'SIGKILL');
    expect(await agent.exitCode).toBe(137);
    expect(await agent.readiness()).toBe(0);
  });

  test('ends early when Envoy ends during the drain', async () => {
    const agent = await start({ config: { terminationDrainMs: 60_000 } });
    await agent.untilReady();
    const pid = envoyPid(agent);
    agent.signal('SIGTERM');
    await agent.untilLogged('draining');
    process.kill(pid, 'SIGKILL');
    expect(await agent.exitCode).toBe(0);
  });

  test("passes on Envoy's code when it cannot take a port of its bootstrap", async () => {
    await withHeldPort(async (port) => {
      const agent = await start({ sample: { staticPort: port } });
      expect(await agent.exitCode).toBe(1);
    });
  });

  test('says which listener cannot take its port, and is not ready', async () => {
    await withHeldPort(async (port) => {
      const agent = await start({ sample: { httpPort: port } });
      await agent.untilLogged('Address already in use');
      expect(await agent.readiness()).toBe(503);
    });
  });

  test('refuses a folder that another agent uses', async () => {
    const first = await start();
    await first.untilReady();
    await expect(async () => (await start({ folder: first.folder })).exitCode).rejects.toThrow(/another agent uses/);
    expect(await first.get()).toEqual({ status: 200, body: 'one' });
  });

  test('starts no Envoy when the inputs are invalid', async () => {
    const agent = await start({ problems: ['policies/a.yaml:3:1: error: broken'] });
    expect(await agent.exitCode).toBe(1);
    expect(agent.lines.join('')).toContain('policies/a.yaml:3:1: error: broken');
    expect(agent.lines.join('')).not.toContain('Envoy started');
  });

  test('has a configuration from a user template validated before Envoy is started', async () => {
    const broken = { listenerExtras: { listener_filters_timeout: '-3s' } };
    const agent = await start({ config: { mustValidateFirst: true }, sample: broken });
    expect(await agent.exitCode).toBe(1);
    expect(agent.lines.join('')).not.toContain('Envoy started');
  });

  test('answers only the readiness path, exactly, and only reads', async () => {
    const agent = await start();
    await agent.untilReady();
    const status = async (path: string, method = 'GET'): Promise<number> =>
      (await fetch(`http://127.0.0.1:${agent.statusPort}${path}`, { method })).status;
    expect(await status('/healthz/ready')).toBe(200);
    expect(await status('/healthz/ready', 'POST')).toBe(405);
    expect(await status('/healthz/ready/%2e%2e/quitquitquit', 'POST')).toBe(404);
    expect(await status('/healthz/ready?x')).toBe(200);
    expect(await status('/')).toBe(404);
  });
});

function envoyPid(agent: AgentBench): number {
  return Number(/Envoy started\tpid=(\d+)/.exec(agent.lines.join(''))?.[1]);
}

async function withHeldPort(use: (port: number) => Promise<void>): Promise<void> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  try {
    await use((holder.address() as AddressInfo).port);
  } finally {
    holder.close();
  }
}
