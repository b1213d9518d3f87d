import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Watch, watchPaths } from './watch.ts';

describe('watchPaths', () => {
  let folder: string;
  let watch: Watch;
  let changes: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'watch-'));
    await mkdir(join(folder, 'in'));
    await writeFile(join(folder, 'in/a'), '1');
    changes = 0;
  });
  afterEach(async () => {
    watch.close();
    await rm(folder, { recursive: true });
  });

  const open = async (path = 'in', pollMs = 60_000): Promise<void> => {
    watch = await watchPaths([join(folder, path)], { onChange: () => changes++, debounceMs: 30, pollMs });
  };
  const sees = (count: number): Promise<void> => vi.waitFor(() => expect(changes).toBe(count), 3_000);

  test.each<[string, () => Promise<unknown>]>([
    ['a file written in place', () => writeFile(join(folder, 'in/a'), '2')],
    ['a new file', () => writeFile(join(folder, 'in/b'), '1')],
    ['a removed file', () => rm(join(folder, 'in/a'))],
    ['a file replaced by a rename', () => replace('in/a', 'x')],
    ['a new folder', () => mkdir(join(folder, 'in/sub'))],
    ['a removed folder', () => rm(join(folder, 'in'), { recursive: true })],
  ])('sees %s, once', async (_name, act) => {
    await open();
    await act();
    await sees(1);
    await delay(100);
    expect(changes).toBe(1);
  });

  const replace = async (name: string, text: string): Promise<void> => {
    await writeFile(join(folder, 'new'), text);
    await rename(join(folder, 'new'), join(folder, name));
  };

  test('follows a folder that comes later', async () => {
    await open();
    await mkdir(join(folder, 'in/sub'));
    await sees(1);
    await writeFile(join(folder, 'in/sub/c'), '1');
    await sees(2);
  });

  test('follows a path that is not there yet', async () => {
    await open('later.yaml');
    await writeFile(join(folder, 'later.yaml'), '1');
    await sees(1);
  });

  test('follows a link that is swapped, each time', async () => {
    await mkdir(join(folder, 'one'));
    await mkdir(join(folder, 'two'));
    await symlink('one', join(folder, 'link'));
    await open('link');
    for (const [i, target] of ['two', 'one', 'two'].entries()) {
      await symlink(target, join(folder, 'next'));
      await rename(join(folder, 'next'), join(folder, 'link'));
      await sees(i + 1);
    }
  });

  test('tells many changes at once as one', async () => {
    await open();
    for (let i = 0; i < 20; i++) await writeFile(join(folder, `in/${i}`), '1');
    await sees(1);
  });

  test('sees by looking what no event tells', async () => {
    await mkdir(join(folder, 'far'));
    await writeFile(join(folder, 'far/file'), '1');
    await symlink(join(folder, 'far/file'), join(folder, 'in/link'));
    await open('in', 50);
    // The watches are on the folder of the link, not on that of its target.
    await writeFile(join(folder, 'far/file'), 'changed');
    await sees(1);
  });
});
