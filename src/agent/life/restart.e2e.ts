import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { freePort } from '../../testing/free-ports.ts';
import { ask } from '../status/testing/status-bench.ts';
import { httpPost, lifeObserver, startingAgents, timed } from '../testing/life-probe.ts';
import { unbindable } from '../testing/sample-proxy.ts';

const start = startingAgents();

describe('the restart policy', () => {
  test('brings an Envoy back that crashed: not ready meanwhile, with what was in force, and counted', async () => {
    const envoyRestarted = vi.fn();
    const observers = { life: lifeObserver({ envoyRestarted }) };
    const agent = await start({ config: { restartPolicy: 'on-failure' }, parts: { observers } });
    await agent.untilReady();
    await agent.change({ body: 'two' });
    await agent.untilLogged('ms=');
    const first = agent.envoyPid;
    process.kill(first, 'SIGKILL');
    await agent.untilLogged('state=backing-off');
    expect(await agent.readiness()).toBe(503);
    await agent.untilReady();
    expect(agent.envoyPid).not.toBe(first);
    expect(await agent.get()).toEqual({ status: 200, body: 'two' });
    expect(envoyRestarted).toHaveBeenCalledExactlyOnceWith(137);
    await agent.change({ body: 'three' });
    await eventually(async () => expect((await agent.get()).body).toBe('three'));
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
  });

  test('takes over after the restart the change that the crash has interrupted', async () => {
    let kill = (): void => undefined;
    const drained = vi.fn();
    const validate = async () => {
      kill();
      await eventually(() => expect(agent.lines.join('')).toContain('Envoy has ended by itself'));
      // The Envoy that ended cannot be drained any more, and the next one shall not be.
      drained(await ask(agent.statusPort, { method: 'POST', path: '/drain' }));
      return { ok: true, message: '' };
    };
    const agent = await start({ config: { restartPolicy: 'on-failure' }, parts: { validate } });
    await agent.untilReady();
    kill = () => {
      process.kill(agent.envoyPid, 'SIGKILL');
      kill = () => undefined;
    };
    await agent.change({ body: 'two' });
    await eventually(async () => expect((await agent.get()).body).toBe('two'));
    expect(drained.mock.calls[0]).toEqual([expect.objectContaining({ status: 503 })]);
  });

  test('takes over at the restart what has changed meanwhile', async () => {
    const agent = await start({ config: { restartPolicy: 'always' } });
    await agent.untilReady();
    process.kill(agent.envoyPid, 'SIGTERM');
    await agent.untilLogged('state=backing-off');
    await agent.change({ body: 'two' });
    await eventually(async () => expect((await agent.get()).body).toBe('two'));
  });

  test('treats an exit with 0 as a failure unless the agent was asked to stop', async () => {
    const envoyRestarted = vi.fn();
    const observers = { life: lifeObserver({ envoyRestarted }) };
    const agent = await start({ config: { restartPolicy: 'on-failure' }, parts: { observers } });
    await agent.untilReady();
    expect(await httpPost(agent.sample.adminPort, '/quitquitquit')).toBe(200);
    await agent.untilLogged('state=backing-off');
    expect(envoyRestarted).toHaveBeenCalledExactlyOnceWith(1);
    await agent.untilReady();
  });

  test('does not hold up a stop during the delay', async () => {
    const agent = await start({ config: { restartPolicy: 'on-failure', terminationDrainMs: 60_000 } });
    await agent.untilReady();
    process.kill(agent.envoyPid, 'SIGKILL');
    await agent.untilLogged('state=backing-off');
    agent.signal('SIGTERM');
    expect(await timed(agent.exitCode)).toBeLessThan(30_000);
    expect(await agent.exitCode).toBe(0);
    expect(agent.lines.join('').match(/Envoy started/g)).toHaveLength(1);
  });

  test('restarts Envoy, and exits with 0 on SIGTERM, although it cannot remove envoy.pid and its lock file', async () => {
    const agent = await start({ config: { restartPolicy: 'always', terminationDrainMs: 0 } });
    await agent.untilReady();
    const folder = agent.sample.configPath;
    const notes = (await readdir(folder)).filter((name) => name === 'envoy.pid' || name.startsWith('agent.lock.'));
    expect(notes).toHaveLength(2);
    for (const name of notes) {
      await rm(join(folder, name));
      await mkdir(join(folder, name));
    }
    process.kill(agent.envoyPid, 'SIGKILL');
    await agent.untilLogged('state=backing-off');
    await agent.untilReady();
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    expect(agent.lines.join('')).toMatch(/not everything can be cleaned up[\s\S]*state=exited/);
  });

  test('does not restart an Envoy that was never ready, because its configuration is invalid', async () => {
    const sample = { ...unbindable, staticPort: await freePort() };
    const agent = await start({ config: { restartPolicy: 'always' }, sample });
    expect(await agent.exitCode).toBe(1);
  });
});
