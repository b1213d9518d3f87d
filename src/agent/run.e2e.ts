import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import type { AgentBench } from './testing/agent-bench.ts';
import { startingAgents } from './testing/life-probe.ts';
import { unbindable } from './testing/sample-proxy.ts';

const start = startingAgents();

describe('runAgent', () => {
  test('starts Envoy and is ready once the first configuration is in force', async () => {
    const agent = await start();
    expect(await agent.readiness()).not.toBe(200);
    await agent.untilReady();
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
    expect(agent.lines.join('')).toContain('configuration in force');
  });

  test('saves memory as a client of a control plane, and not if it compiles', async () => {
    const saved: string[] = [];
    const compiling = await start({ parts: { saveMemory: () => saved.push('compiling') } });
    await compiling.untilReady();
    const discovery = {
      ...{ address: '127.0.0.1:1', identityPrefix: 'spiffe://cluster.local/', rootPath: '/no/root.pem' },
      ...{ maxAgeMs: 1_000, envoyVersion: async () => '1.40.0' },
    };
    await start({ parts: { discovery, saveMemory: () => saved.push('client') } });
    await eventually(() => expect(saved).toEqual(['client']));
  });

  test('drains plainly: new connections are refused at once, a request in flight finishes', async () => {
    const agent = await start({ config: { terminationDrainMs: 5_000 }, sample: { slowSeconds: 1 } });
    await agent.untilReady();
    const inFlight = agent.get('/slow');
    await delay(200);
    const startedAt = performance.now();
    agent.signal('SIGTERM');
    while ((await agent.get()).status !== 0) await delay(2);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
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
    await eventually(async () => expect((await agent.get()).status).toBe(0), { interval: 5 });
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
    expect(performance.now() - startedAt).toBeLessThan(30_000);
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

  test('says which listener Envoy cannot make, and is not ready', async () => {
    const agent = await start({ sample: unbindable });
    await agent.untilLogged('Cannot assign requested address');
    expect(await agent.readiness()).toBe(503);
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
