import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { validateConfig } from '../../envoy/validate.ts';
import { eventually } from '../../testing/eventually.ts';
import { startingAgents, timed } from '../testing/life-probe.ts';

const start = startingAgents();

let folder = '';
let pidFile = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stop-validation-'));
  pidFile = join(folder, 'pid');
  // An Envoy that thinks for ever.
  await writeFile(
    join(folder, 'slow'),
    `#!/bin/sh\necho $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 99\n`,
    {
      mode: 0o755,
    },
  );
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const configPath = (): string => join(folder, 'proxy');
const leftovers = async (): Promise<string[]> => (await readdir(configPath())).filter((name) => name.endsWith('.tmp'));
const slow = (config: object, signal?: AbortSignal): ReturnType<typeof validateConfig> =>
  validateConfig(join(folder, 'slow'), config, { folder: configPath(), signal });
const pidOfValidation = async (): Promise<number> => {
  await eventually(() => expect(existsSync(pidFile)).toBe(true));
  return Number(await readFile(pidFile, 'utf8'));
};

describe('a stop while Envoy judges', () => {
  test.each([
    ['the first configuration', { mustValidateFirst: true }],
    ['a change', { terminationDrainMs: 0 }],
  ])('%s is at once, and leaves neither a process nor a file', async (what, config) => {
    const agent = await start({ folder, config, parts: { validate: slow } });
    if (what === 'a change') {
      await agent.untilReady();
      await agent.change({ body: 'two' });
    }
    const pid = await pidOfValidation();
    expect(await leftovers()).toHaveLength(1);
    agent.signal('SIGTERM');
    expect(await timed(agent.exitCode)).toBeLessThan(30_000);
    expect(await agent.exitCode).toBe(0);
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    expect(await leftovers()).toEqual([]);
  });

  test('is followed by an agent that removes what a killed one left', async () => {
    await mkdir(join(configPath(), 'envoy-validate-0.tmp'), { recursive: true });
    await writeFile(join(configPath(), 'envoy-validate-0.tmp/bootstrap.json'), '{}');
    const agent = await start({ folder });
    await agent.untilReady();
    expect(await leftovers()).toEqual([]);
  });
});

describe('a crash of Envoy', () => {
  test('does not wait for the judgement of a change before Envoy is started again', async () => {
    let validate = slow;
    const agent = await start({
      folder,
      config: { restartPolicy: 'on-failure' },
      parts: { validate: (json, signal) => validate(json, signal) },
    });
    await agent.untilReady();
    await agent.change({ body: 'two' });
    await pidOfValidation();
    validate = async () => ({ ok: true, message: '', exit: { code: 0, signal: null } });
    process.kill(agent.envoyPid, 'SIGKILL');
    await eventually(async () => expect((await agent.get()).body).toBe('two'));
  });
});
