import { chmod, mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startingAgents } from './testing/life-probe.ts';

const start = startingAgents();

/** A folder of the test in which the configuration folder is there with this mode. */
async function folderWith(mode: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-'));
  await mkdir(join(folder, 'proxy'));
  await chmod(join(folder, 'proxy'), mode);
  return folder;
}

test('a folder to which others may write is closed before anything is written to it', async () => {
  const folder = await folderWith(0o777);
  const proxy = join(folder, 'proxy');
  let seen: [mode: number, names: string[]] | undefined;
  const compile = async () => {
    seen = [(await stat(proxy)).mode & 0o7777, (await readdir(proxy)).filter((name) => !name.startsWith('agent.lock'))];
    return { problems: ['enough is seen'] };
  };
  const agent = await start({ folder, parts: { compile } });
  expect(await agent.exitCode).toBe(1);
  expect(seen).toEqual([0o700, []]);
});

test('a folder for everybody gets no configuration, and no Envoy is started from it', async () => {
  const folder = await folderWith(0o1777);
  const agent = await start({ folder });
  await expect(agent.exitCode).rejects.toThrow('cannot serve secrets to Envoy');
  expect(await readdir(join(folder, 'proxy'))).toEqual([]);
  expect(agent.lines.join('')).not.toContain('state=starting');
});
