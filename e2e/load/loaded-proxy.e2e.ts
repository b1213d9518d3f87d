import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startLoadedProxy } from './loaded-proxy.ts';

/** Command lines of the programs that this process has started. */
async function children(): Promise<readonly string[]> {
  const ids = (await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')).split(' ').filter((id) => id !== '');
  // One of another file, that ran in this process before, may end meanwhile.
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
}

test('a load whose proxy cannot be configured leaves none of its programs behind', async () => {
  const machine = { memoryLimitBytes: 2 ** 30, descriptorLimit: undefined };
  const configure = (): string => {
    throw new Error('no configuration');
  };
  await expect(startLoadedProxy(configure, machine)).rejects.toThrow('no configuration');
  expect((await children()).filter((line) => line.includes('application.ts'))).toEqual([]);
});
