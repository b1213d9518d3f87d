import { execFileSync } from 'node:child_process';
import { rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { type Disk, systemDisk } from './disk.ts';
import { type Change, type PathsWatch, watchPaths } from './watch.ts';

describe('watchPaths', () => {
  let folder: string;
  let watch: PathsWatch;
  let changes: number;
  let last: Change;

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

  // A write takes two system calls, and a removal many: on a busy machine there is time between them.
  const open = async (path = 'in', pollMs = 60_000, debounceMs = 600): Promise<void> => {
    watch = await watchPaths([join(folder, path)], { onChange, debounceMs, pollMs });
  };
  const onChange = (change: Change): void => {
    changes++;
    last = change;
  };
  const sees = (count: number): Promise<void> => eventually(() => expect(changes).toBe(count));

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
    await delay(800);
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

  test('follows a volume of Kubernetes through updates in a row, whose files are links over `..data`', async () => {
    const publish = async (version: number): Promise<void> => {
      const data = `in/..v${version}`;
      await mkdir(join(folder, data));
      await writeFile(join(folder, data, 'p.yaml'), 'same size');
      await symlink(`..v${version}`, join(folder, 'in/..data_tmp'));
      await rename(join(folder, 'in/..data_tmp'), join(folder, 'in/..data'));
      await rm(join(folder, `in/..v${version - 1}`), { recursive: true, force: true });
    };
    await publish(0);
    await symlink('..data/p.yaml', join(folder, 'in/p.yaml'));
    await open();
    for (let version = 1; version <= 6; version++) {
      await publish(version);
      await sees(version);
    }
  });

  test('follows a folder that vanishes with its parents and comes back, without a poll', async () => {
    await mkdir(join(folder, 'a/b/c'), { recursive: true });
    await open('a/b/c', 60_000, 1_000);
    for (let round = 0; round < 3; round++) {
      await rm(join(folder, 'a'), { recursive: true });
      await sees(3 * round + 1);
      await mkdir(join(folder, 'a/b/c'), { recursive: true });
      await sees(3 * round + 2);
      await writeFile(join(folder, 'a/b/c/p.yaml'), '1');
      await sees(3 * round + 3);
    }
  });

  test('waits elsewhere for a path whose nearest folder vanishes between the look and the watch', async () => {
    await mkdir(join(folder, 'a/b/c'), { recursive: true });
    // As `rm -r` does it, each step while a look goes on: the last one comes without a further event.
    const vanishing = [join(folder, 'a/b'), join(folder, 'a')];
    let isOpen = false;
    const isLocal: Disk['isLocal'] = async (path) => {
      if (isOpen && path === vanishing[0]) rmdirSync(vanishing.shift() ?? '');
      return true;
    };
    const disk = { ...systemDisk, isLocal };
    watch = await watchPaths([join(folder, 'a/b/c')], { onChange, debounceMs: 30, pollMs: 3_600_000, disk });
    isOpen = true;
    await rmdir(join(folder, 'a/b/c'));
    await eventually(() => expect(vanishing).toEqual([]));
    await sees(1);
    await mkdir(join(folder, 'a/b/c'), { recursive: true });
    await eventually(() => expect(changes).toBeGreaterThan(1));
  });

  test('is not led astray by loops of links, pipes and devices', async () => {
    for (const name of ['one', 'two', 'three']) await symlink('.', join(folder, 'in', name));
    await symlink('self', join(folder, 'in/self'));
    await symlink('/dev/zero', join(folder, 'in/zero.yaml'));
    execFileSync('mkfifo', [join(folder, 'in/pipe.yaml')]);
    await open();
    await writeFile(join(folder, 'in/a'), '2');
    await sees(1);
  });

  test('follows new paths as soon as it is given them', async () => {
    await open();
    await mkdir(join(folder, 'other'));
    watch.follow([join(folder, 'in'), join(folder, 'other')]);
    await sees(1);
    await writeFile(join(folder, 'other/b'), '1');
    await sees(2);
    watch.follow([join(folder, 'in'), join(folder, 'other')]);
    await delay(800);
    expect(changes).toBe(2);
  });

  test('reports a thousand changes in a row once, with the number of files and the time of the first', async () => {
    // The pause that ends a row: longer than any in which a busy machine keeps a test waiting between two writes.
    watch = await watchPaths([join(folder, 'in')], { onChange, debounceMs: 3_000, pollMs: 60_000 });
    const startedAt = performance.now();
    for (let i = 0; i < 1_000; i++) {
      writeFileSync(join(folder, `in/${i % 50}`), String(i));
      if (i % 20 === 0) await delay(1);
    }
    const endedAt = performance.now();
    await sees(1);
    expect(last.files).toBe(50);
    expect(last.seenAtMs).toBeGreaterThan(startedAt);
    expect(last.seenAtMs).toBeLessThan(endedAt);
    // What is told next is the next change alone.
    await writeFile(join(folder, 'in/0'), 'next');
    await sees(2);
    expect(last.files).toBe(1);
  });

  test('is not put off for ever by a change that never ends', async () => {
    watch = await watchPaths([join(folder, 'in')], { onChange, debounceMs: 100, debounceMaxMs: 400, pollMs: 60_000 });
    let isChanging = true;
    const trickle = (async () => {
      for (let i = 0; isChanging; i++) {
        await writeFile(join(folder, 'in/a'), String(i));
        await delay(20);
      }
    })();
    await eventually(() => expect(changes).toBeGreaterThan(1));
    isChanging = false;
    await trickle;
  });

  test('detects a changed symlink target by polling when inotify reports nothing', async () => {
    await mkdir(join(folder, 'far'));
    await writeFile(join(folder, 'far/file'), '1');
    await symlink(join(folder, 'far/file'), join(folder, 'in/link'));
    await open('in', 50);
    // The watches are on the folder of the link, not on that of its target.
    await writeFile(join(folder, 'far/file'), 'changed');
    await sees(1);
  });
});
