import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { freePort } from '../../testing/free-ports.ts';
import { isAlive } from '../../testing/processes.ts';
import { httpPost, idleConnection, startingAgents, timed } from '../testing/life-probe.ts';

const start = startingAgents();

describe('an early end of the drain', () => {
  const early = { terminationDrainMs: 60_000, earliestDrainEndMs: 300 };

  test('comes when the last connection closes', async () => {
    const agent = await start({ config: early });
    await agent.untilReady();
    const client = await idleConnection(agent.sample.httpPort);
    agent.signal('SIGTERM');
    await agent.untilLogged('state=draining');
    await delay(1_200);
    expect(agent.lines.join('')).not.toContain('state=stopping');
    client.destroy();
    expect(await timed(agent.exitCode)).toBeLessThan(30_000);
    expect(await agent.exitCode).toBe(0);
  });

  test('is not held up by listeners of the bootstrap: readiness and metrics do not count as traffic', async () => {
    const staticPort = await freePort();
    const agent = await start({ config: early, sample: { staticPort } });
    await agent.untilReady();
    const client = await idleConnection(staticPort);
    agent.signal('SIGTERM');
    const ms = await timed(agent.exitCode);
    expect(ms).toBeGreaterThan(300);
    expect(ms).toBeLessThan(30_000);
    client.destroy();
  });

  test('does not extend the drain when a connection never closes', async () => {
    const agent = await start({ config: { terminationDrainMs: 1_500, earliestDrainEndMs: 0 } });
    await agent.untilReady();
    const client = await idleConnection(agent.sample.httpPort);
    agent.signal('SIGTERM');
    expect(await timed(agent.exitCode)).toBeGreaterThan(1_450);
    expect(await agent.exitCode).toBe(0);
    client.destroy();
  });
});

describe('POST /drain', () => {
  test('drains in the graceful form without a stop, and SIGTERM later does not drain again', async () => {
    const agent = await start({ config: { terminationDrainMs: 1_500 } });
    await agent.untilReady();
    expect(await httpPost(agent.statusPort, '/drain')).toBe(200);
    expect(await agent.readiness()).toBe(503);
    expect((await agent.get()).status).toBe(200);
    await agent.untilLogged('drain ended');
    expect((await agent.get()).status).toBe(0);
    await agent.change({ body: 'two', listenerExtras: { listener_filters_timeout: '3s' } });
    await delay(500);
    expect(isAlive(agent.envoyPid)).toBe(true);
    expect((await agent.get()).status).toBe(0);
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    expect(agent.lines.join('').match(/drain ended/g)).toHaveLength(1);
  });

  test('leaves to a SIGTERM that follows the rest of the time', async () => {
    const agent = await start({ config: { terminationDrainMs: 6_000 } });
    await agent.untilReady();
    const startedAt = performance.now();
    expect(await httpPost(agent.statusPort, '/drain')).toBe(200);
    await delay(3_000);
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    const ms = performance.now() - startedAt;
    expect(ms).toBeGreaterThan(5_950);
    expect(ms).toBeLessThan(8_900);
  });

  test('passes on the end of an Envoy that dies meanwhile', async () => {
    const agent = await start({ config: { restartPolicy: 'always' } });
    await agent.untilReady();
    expect(await httpPost(agent.statusPort, '/drain')).toBe(200);
    process.kill(agent.envoyPid, 'SIGKILL');
    expect(await agent.exitCode).toBe(137);
  });

  test('reaches Envoy also where a stop has no drain', async () => {
    const agent = await start({ config: { terminationDrainMs: 0 } });
    await agent.untilReady();
    expect(await httpPost(agent.statusPort, '/drain')).toBe(200);
    await eventually(async () => expect((await agent.get()).status).toBe(0));
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
  });

  test('is refused while there is nothing to drain', async () => {
    const agent = await start({ parts: { compile: () => new Promise(() => undefined) } });
    await agent.untilLogged('state=configuring');
    await eventually(async () => expect(await agent.readiness()).toBe(503));
    expect(await httpPost(agent.statusPort, '/drain')).toBeGreaterThanOrEqual(500);
  });
});

describe('what drains or ends the proxy', () => {
  test('is refused from Envoy, through which a route may lead remote callers, and accepted from other programs of its user', async () => {
    const agent = await start({ config: { terminationDrainMs: 0 } });
    const { statusPort: port } = agent;
    await agent.untilReady();
    for (const host of ['127.0.0.1', '127.0.0.2', '::1']) {
      await agent.change({ body: host, upstream: { name: `own-${host}`, host, port } });
      await eventually(async () => expect((await agent.get()).body).toBe(host));
      expect([host, (await agent.get('/upstream/healthz/ready')).status]).toEqual([host, 200]);
      expect((await agent.get('/upstream/stats/prometheus')).status).toBe(200);
      for (const path of ['/drain', '/quitquitquit'])
        expect(await httpPost(agent.sample.httpPort, `/upstream${path}`)).toBe(403);
    }
    expect(agent.lines.join('')).toContain('refused\taction=quit reason=the connection comes from Envoy');
    // This test runs as Envoy's own user, as a hook in the proxy's container does.
    expect(await httpPost(port, '/quitquitquit')).toBe(200);
    expect(await agent.exitCode).toBe(0);
  });
});

describe('POST /quitquitquit', () => {
  test('stops without the wait', async () => {
    const agent = await start({ config: { terminationDrainMs: 60_000 } });
    await agent.untilReady();
    expect(await httpPost(agent.statusPort, '/quitquitquit')).toBe(200);
    expect(await timed(agent.exitCode)).toBeLessThan(30_000);
    expect(await agent.exitCode).toBe(0);
    expect(agent.lines.join('')).not.toContain('state=draining');
  });
});
