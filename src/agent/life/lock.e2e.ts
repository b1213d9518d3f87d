import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentError } from '../agent-error.ts';
import { takeFolderLock } from './lock.ts';

describe('takeFolderLock', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lock-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('makes the folder for its user alone, those above it as the umask says, and leaves nothing behind', async () => {
    const path = join(folder, 'a/b/c');
    const lock = await takeFolderLock(path);
    const modes = [path, dirname(path), join(folder, 'a')].map(async (made) => (await stat(made)).mode & 0o777);
    const usual = 0o777 & ~process.umask();
    expect(await Promise.all(modes)).toEqual([0o700, usual, usual]);
    expect(await readdir(path)).toEqual([expect.stringMatching(/^agent\.lock\.[0-9a-f]{16}$/)]);
    await lock.release();
    expect(await readdir(path)).toEqual([]);
  });

  test('names the folder that cannot be made', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const path of [file, join(file, 'a'), '/proc/mesh/proxy'])
      await expect(takeFolderLock(path)).rejects.toThrow(`cannot make the configuration folder "${path}"`);
  });

  test('names a folder, and the user, that cannot be written to', async () => {
    await expect(takeFolderLock('/sys')).rejects.toThrow(/^user \d+ cannot write to the configuration folder "\/sys"$/);
  });

  test('refuses a folder whose path leaves no room for sockets, and leaves nothing there', async () => {
    const long = join(folder, 'x'.repeat(80));
    await expect(takeFolderLock(long)).rejects.toThrow(/is longer than 75 bytes/);
    expect(await readdir(long)).toEqual([]);
    expect(await readdir(folder)).toEqual(['x'.repeat(80)]);
  });

  test.each([
    ['is none', undefined, /cannot read random bytes from .*device, which every Linux system has; mount \/dev/],
    ['gives too few bytes', 'abc', /device gave 3 bytes, expected 8/],
  ])('takes no name from a random device that %s', async (_, content, message) => {
    const device = join(folder, 'device');
    if (content !== undefined) await writeFile(device, content);
    const taking = takeFolderLock(join(folder, 'own'), device);
    await expect(taking).rejects.toThrow(message);
    await expect(taking).rejects.toThrow(AgentError);
    expect(await readdir(join(folder, 'own'))).toEqual([]);
  });

  test('is had by one at a time', async () => {
    const lock = await takeFolderLock(folder);
    await expect(takeFolderLock(folder)).rejects.toThrow(/another agent uses/);
    await lock.release();
    await (await takeFolderLock(folder)).release();
  });

  test('is had by one of many who come at once, also after a holder that was killed', async () => {
    for (let round = 0; round < 10; round++) {
      if (round % 2 === 0) await leaveStaleLock(join(folder, `agent.lock.0${round}`));
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => takeFolderLock(folder)));
      const taken = results.filter((result) => result.status === 'fulfilled');
      expect(taken).toHaveLength(1);
      await taken[0]?.value.release();
    }
  });
});

/** A socket whose listener was killed: the file stays. */
async function leaveStaleLock(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`;
  const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
}
