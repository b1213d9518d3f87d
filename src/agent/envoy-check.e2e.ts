import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { isAlive } from '../testing/processes.ts';
import { AgentError } from './agent-error.ts';
import { EnvoyCheck } from './envoy-check.ts';
import { type AgentBench, httpGet } from './testing/agent-bench.ts';
import { startingAgents } from './testing/life-probe.ts';

const start = startingAgents();
const tooOld = new AgentError('envoy-too-old', 'Envoy 1.38.0 is too old');

function begun(check: () => Promise<void>): EnvoyCheck {
  const envoyCheck = new EnvoyCheck(check);
  envoyCheck.begin();
  return envoyCheck;
}

/** An agent whose Envoy was started and is LIVE, while nobody has said yet whether it may run. */
async function startUnanswered(config = {}): Promise<{
  readonly agent: AgentBench;
  readonly allow: () => void;
  readonly refuse: () => void;
}> {
  let answer: { readonly allow: () => void; readonly refuse: () => void } | undefined;
  const passed = new Promise<void>((resolve, reject) => {
    answer = { allow: () => resolve(), refuse: () => reject(tooOld) };
  });
  const agent = await start({ config, parts: { envoyCheck: begun(() => passed) } });
  const ready = async (): Promise<string> => (await httpGet(agent.sample.adminPort, '/ready')).body.trim();
  await eventually(async () => expect(await ready()).toBe('LIVE'), { interval: 20 });
  return { agent, ...(answer ?? { allow: () => {}, refuse: () => {} }) };
}

describe('an Envoy that was started before it is known whether it may run', () => {
  test('opens no listener and is not ready, and does both when it may', async () => {
    const { agent, allow } = await startUnanswered();
    expect(await agent.readiness()).toBe(503);
    expect((await agent.get()).status).toBe(0);
    expect(agent.lines.join('')).not.toContain('state=running');
    allow();
    await agent.untilReady();
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
  });

  test('is ended when it may not, and the agent with the reason, whatever the restart policy says', async () => {
    const { agent, refuse } = await startUnanswered({ restartPolicy: 'always' });
    refuse();
    await expect(agent.exitCode).rejects.toBe(tooOld);
    expect(isAlive(agent.envoyPid)).toBe(false);
    expect(agent.lines.join('')).not.toMatch(/Envoy has ended by itself|state=(running|backing-off)/);
  });

  test('is ended by a stop without a drain, and the answer is not waited for', async () => {
    const { agent } = await startUnanswered({ terminationDrainMs: 60_000 });
    agent.signal('SIGTERM');
    expect(await agent.exitCode).toBe(0);
    expect(isAlive(agent.envoyPid)).toBe(false);
    expect((await agent.get()).status).toBe(0);
  });

  test('gets, when it may, what has changed by then too', async () => {
    const { agent, allow } = await startUnanswered();
    await agent.change({ body: 'two' });
    allow();
    await agent.untilReady();
    await eventually(async () => expect(await agent.get()).toEqual({ status: 200, body: 'two' }));
  });

  test('is ended where its listeners cannot be written by then, and none is opened', async () => {
    const { agent, allow } = await startUnanswered({ restartPolicy: 'always' });
    await mkdir(join(agent.folder, 'proxy/listeners.json.tmp'));
    allow();
    await expect(agent.exitCode).rejects.toThrow(/cannot write ".*listeners.json"/);
    expect(isAlive(agent.envoyPid)).toBe(false);
    expect(agent.lines.join('')).not.toMatch(/state=(running|backing-off)/);
  });

  test.each([
    ['the reason is that it may not run', 'refuse', undefined],
    ['its own end counts where it may run', 'allow', 137],
  ] as const)('an Envoy that ends before the version check answers: %s', async (_name, answer, code) => {
    const unanswered = await startUnanswered();
    const { agent } = unanswered;
    process.kill(agent.envoyPid, 'SIGKILL');
    await eventually(() => expect(isAlive(agent.envoyPid)).toBe(false));
    unanswered[answer]();
    expect(await agent.exitCode.catch((error: Error) => error)).toBe(code ?? tooOld);
  });
});

test('an Envoy that nobody asked before is asked when it has been started, once', async () => {
  const asked: boolean[] = [];
  const check = async (): Promise<void> => {
    asked.push(agent.lines.join('').includes('Envoy started'));
  };
  const agent = await start({ parts: { envoyCheck: new EnvoyCheck(check) } });
  await agent.untilReady();
  expect(asked).toEqual([true]);
});

test('an Envoy that may not run is not started, and nothing is written for it', async () => {
  const agent = await start({ parts: { envoyCheck: begun(() => Promise.reject(tooOld)) } });
  await expect(agent.exitCode).rejects.toBe(tooOld);
  expect(agent.lines.join('')).not.toContain('state=starting');
  await expect(access(join(agent.folder, 'proxy/bootstrap.json'))).rejects.toThrow('ENOENT');
});

test('reports an Envoy that may not run also when the configuration is invalid', async () => {
  const late = new Promise<void>((_resolve, reject) => setTimeout(() => reject(tooOld), 100));
  const agent = await start({ problems: ['a.yaml:1:1: error: broken'], parts: { envoyCheck: begun(() => late) } });
  await expect(agent.exitCode).rejects.toBe(tooOld);
});
