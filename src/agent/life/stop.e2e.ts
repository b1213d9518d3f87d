import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { isAlive } from '../../testing/processes.ts';
import { envoyBinary } from '../testing/agent-bench.ts';
import { httpPost, lifeObserver, startingAgents, timed } from '../testing/life-probe.ts';
import { unbindable } from '../testing/sample-proxy.ts';

const start = startingAgents();

describe('the end of Envoy', () => {
  test.each([
    ['SIGTERM', 1],
    ['SIGINT', 1],
    ['SIGQUIT', 131],
    ['SIGABRT', 134],
    ['SIGKILL', 137],
    ['SIGSEGV', 139],
  ] as const)('by %s ends the agent with code %i', async (signal, code) => {
    const agent = await start();
    await agent.untilReady();
    process.kill(agent.envoyPid, signal);
    expect(await agent.exitCode).toBe(code);
    expect(await agent.readiness()).toBe(0);
  });

  test('with 0, without a stop of the agent, makes the agent exit with 1, and the log names the request that gives 0', async () => {
    const agent = await start();
    await agent.untilReady();
    expect(await httpPost(agent.sample.adminPort, '/quitquitquit')).toBe(200);
    expect(await agent.exitCode).toBe(1);
    const way = `POST /quitquitquit to the status port, ${agent.statusPort}, or SIGTERM to the agent`;
    expect(agent.lines.join('')).toMatch(new RegExp(`warn\\t.*the agent ends with 1.*${way}`));
  });

  test('with 0 after a drain is no success either: a drain does not ask for the end', async () => {
    const agent = await start();
    await agent.untilReady();
    expect(await httpPost(agent.statusPort, '/drain')).toBe(200);
    process.kill(agent.envoyPid, 'SIGTERM');
    expect(await agent.exitCode).toBe(1);
  });

  test('while the agent is being asked to stop too, as when a group gets the signal, is the end with 0', async () => {
    const agent = await start({ config: { terminationDrainMs: 60_000 } });
    await agent.untilReady();
    agent.signal('SIGTERM');
    process.kill(agent.envoyPid, 'SIGTERM');
    expect(await agent.exitCode).toBe(0);
  });

  test('with 3 is the end of the agent with 3', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-'));
    const binary = join(folder, 'envoy');
    // The real Envoy, whose end is reported as 3.
    await writeFile(binary, `#!/bin/sh\n${envoyBinary()} "$@" &\ntrap 'kill -9 $!; exit 3' USR2\nwait\n`, {
      mode: 0o755,
    });
    const agent = await start({ folder, config: { envoyBinary: binary } });
    await agent.untilReady();
    process.kill(agent.envoyPid, 'SIGUSR2');
    expect(await agent.exitCode).toBe(3);
  });

  test('is a failure before Envoy was ready', async () => {
    // A listener that cannot have its address leaves Envoy alive, and not ready.
    const agent = await start({ sample: unbindable });
    await agent.untilLogged('Cannot assign requested address');
    process.kill(agent.envoyPid, 'SIGTERM');
    expect(await agent.exitCode).toBe(1);
  });
});

describe('a stop', () => {
  test('while the folder is waited for is at once, and makes no Envoy', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-'));
    await mkdir(join(folder, 'proxy'));
    // Another agent that is about to come, and to go: its turn is waited for.
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(join(folder, 'proxy/agent.lock.x'), resolve));
    const agent = await start({ folder });
    await agent.untilLogged('on SIGTERM');
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    other.close();
  });

  test('while the inputs are compiled, however long that takes, is at once', async () => {
    const agent = await start({ parts: { compile: () => new Promise(() => undefined) } });
    await agent.untilLogged('state=configuring');
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    expect(agent.lines.join('')).not.toContain('state=starting');
  });

  test('is what SIGQUIT asks for too', async () => {
    const agent = await start();
    await agent.untilReady();
    agent.signal('SIGQUIT');
    await agent.untilLogged('asked to stop\tsignal=SIGQUIT');
    await agent.untilLogged('state=draining');
    expect(await agent.exitCode).toBe(0);
  });

  test('of an Envoy that does not answer has a time limit: not ready, drain, SIGTERM, SIGKILL', async () => {
    const agent = await start({ config: { terminationDrainMs: 1_000 } });
    await agent.untilReady();
    process.kill(agent.envoyPid, 'SIGSTOP');
    await eventually(async () => expect(await agent.readiness()).toBe(503));
    agent.signal('SIGTERM');
    const ms = await timed(agent.exitCode);
    expect(await agent.exitCode).toBe(0);
    expect(ms).toBeGreaterThan(2_900);
    expect(ms).toBeLessThan(30_000);
    expect(isAlive(agent.envoyPid)).toBe(false);
    expect(agent.lines.join('')).toContain('Envoy has ended\tstatus=signal SIGKILL');
  });

  test('kills at once at a third signal', async () => {
    const agent = await start();
    await agent.untilReady();
    process.kill(agent.envoyPid, 'SIGSTOP');
    agent.signal('SIGTERM');
    agent.signal('SIGTERM');
    await agent.untilLogged('state=stopping');
    agent.signal('SIGTERM');
    // SIGTERM alone would be waited for two seconds.
    expect(await timed(agent.exitCode)).toBeLessThan(1_900);
    expect(await agent.exitCode).toBe(0);
  });

  test('waits the configured time between the drain call and SIGTERM, and says so', async () => {
    const drained = vi.fn();
    const agent = await start({ parts: { observers: { life: lifeObserver({ drained }) } } });
    await agent.untilReady();
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    const [, ms] = /drain ended\tms=(\d+)/.exec(agent.lines.join('')) ?? [];
    expect(Number(ms)).toBeGreaterThanOrEqual(999);
    expect(drained).toHaveBeenCalledExactlyOnceWith(Number(ms));
  });

  test('after an error that nobody caught takes Envoy with it, and is reported as a bug', async () => {
    const agent = await start({ config: { terminationDrainMs: 60_000 } });
    await agent.untilReady();
    const pid = agent.envoyPid;
    agent.crash(Object.assign(new Error('planted'), { code: 'EPIPE', syscall: 'write' }));
    const failure = await agent.exitCode.catch((error: Error) => error);
    expect(failure).toMatchObject({ message: 'planted' });
    expect(failure).not.toHaveProperty('syscall');
    expect(isAlive(pid)).toBe(false);
  });
});

describe('a port that is taken', () => {
  test.each([
    ['admin', /the port of Envoy's admin, 127\.0\.0\.1:\d+, is taken by process \d+ \(node\); proxyAdminPort/],
    ['status', /the status port \d+ is taken by process \d+ \(node\)/],
  ])('is named with its owner: %s', async (which, message) => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '0.0.0.0', resolve));
    const { port } = holder.address() as AddressInfo;
    const agent = await start(which === 'admin' ? { sample: { adminPort: port } } : { config: { statusPort: port } });
    const failure = await agent.exitCode.catch((error: Error) => error);
    holder.close();
    expect(String(failure)).toMatch(message);
    expect(String(failure)).toContain(`process ${process.pid} `);
    expect(agent.lines.join('')).not.toContain('Envoy started');
  });
});

describe('SIGHUP', () => {
  test('opens log files again and ends nothing, whether Envoy runs yet or not', async () => {
    const reopenLogs = vi.fn();
    const agent = await start({ parts: { reopenLogs } });
    await agent.untilLogged('state=starting');
    agent.signal('SIGHUP');
    await agent.untilReady();
    agent.signal('SIGHUP');
    expect(reopenLogs).toHaveBeenCalledTimes(2);
    await delay(200);
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
  });
});
