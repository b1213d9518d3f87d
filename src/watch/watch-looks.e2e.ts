import type { Stats } from 'node:fs';
import { link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { type Disk, systemDisk } from './disk.ts';
import { MountPoints } from './mount-points.ts';
import { type PathsWatch, watchPaths } from './watch.ts';

describe('what a watch looks at when no event comes', () => {
  let folder: string;
  let watch: PathsWatch;
  let changes: number;
  let looked: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'looks-'));
    await mkdir(join(folder, 'in/sub'), { recursive: true });
    await mkdir(join(folder, 'far'));
    for (let i = 0; i < 50; i++) await writeFile(join(folder, `in/sub/${i}`), '1');
    [changes, looked] = [0, []];
  });
  afterEach(async () => {
    watch.close();
    await rm(folder, { recursive: true });
  });

  /** The machine's disk; what is asked of it is noted. */
  const counting = (differences: Partial<Disk> = {}): Disk => {
    const noted = { ...systemDisk, ...differences };
    const note = (path: string): string => {
      looked.push(path.slice(folder.length + 1));
      return path;
    };
    return {
      ...noted,
      stat: (path) => noted.stat(note(path)),
      statNow: (path) => noted.statNow(note(path)),
      list: (path) => noted.list(note(path)),
    };
  };
  const open = async (path: string, netMs: number, disk = counting()): Promise<void> => {
    watch = await watchPaths([join(folder, path)], {
      onChange: () => changes++,
      debounceMs: 10,
      pollMs: 5,
      netMs,
      disk,
    });
    looked = [];
  };
  const polls = (count: number, name: string): Promise<void> =>
    eventually(() => expect(looked.filter((path) => path === name).length).toBeGreaterThanOrEqual(count));

  test('is the path itself where events tell of all else, however many files there are', async () => {
    await open('in', 3_600_000);
    await polls(5, 'in');
    expect(new Set(looked)).toEqual(new Set(['in']));
  });

  test('rescans every file after a longer interval, whatever events came', async () => {
    await open('in', 300);
    await polls(1, 'in/sub/49');
  });

  test('is all, each time, where others than this machine may write', async () => {
    await open('in', 3_600_000, counting({ isLocal: () => Promise.resolve(false) }));
    await polls(2, 'in/sub/49');
  });

  test('are links to places that are not followed, and not those within what is', async () => {
    await writeFile(join(folder, 'far/file'), '1');
    await symlink(join(folder, 'far/file'), join(folder, 'in/out'));
    await symlink('sub/1', join(folder, 'in/within'));
    await open('in', 3_600_000);
    await polls(2, 'in/out');
    expect(new Set(looked)).toEqual(new Set(['in', 'in/out']));
    await writeFile(join(folder, 'far/file'), 'longer');
    await eventually(() => expect(changes).toBe(1));
    await polls(2, 'in/out');
    expect(changes).toBe(1);
  });

  test('are files that are mounts of other file systems', async () => {
    const mounted = (path: string): Stats | undefined => {
      const stats = systemDisk.statNow(path);
      if (stats !== undefined && path.endsWith('/7')) stats.dev += 1;
      return stats;
    };
    await open('in', 3_600_000, counting({ statNow: mounted, stat: (path) => Promise.resolve(mounted(path)) }));
    await polls(2, 'in/sub/7');
    expect(looked).not.toContain('in/sub/8');
  });

  test('are files on which something is mounted, and these wait for their file system on no thread of ours', async () => {
    const mounts = new MountPoints(
      `1 2 0:3 /x ${folder}/in/sub/7 rw - ext4 /dev/a rw\n3 2 0:3 /x /else/8 rw - ext4 b rw`,
    );
    const statNow: Disk['statNow'] = (path) => {
      expect(path).not.toBe(join(folder, 'in/sub/7'));
      return systemDisk.statNow(path);
    };
    await open('in', 3_600_000, counting({ statNow, mounts: () => Promise.resolve(mounts) }));
    await polls(2, 'in/sub/7');
    expect(new Set(looked)).toEqual(new Set(['in', 'in/sub/7']));
    await writeFile(join(folder, 'in/sub/7'), 'longer');
    await eventually(() => expect(changes).toBe(1));
  });

  test('are files with a second hard link, through which they may be written', async () => {
    await link(join(folder, 'in/sub/7'), join(folder, 'far/7'));
    await open('in', 3_600_000);
    await polls(2, 'in/sub/7');
    expect(new Set(looked)).toEqual(new Set(['in', 'in/sub/7']));
    await writeFile(join(folder, 'far/7'), 'longer');
    await eventually(() => expect(changes).toBe(1));
  });

  test('leaves no folder out that comes while the watch starts', async () => {
    let lists = 0;
    const list: Disk['list'] = async (path) => {
      const found = await systemDisk.list(path);
      if (path === join(folder, 'in') && ++lists === 2) {
        await mkdir(join(folder, 'in/late'));
        // Long enough for what the event of it brings about.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return found;
    };
    await open('in', 3_600_000, counting({ list }));
    await eventually(() => expect(changes).toBe(1));
    await writeFile(join(folder, 'in/late/file'), '1');
    await eventually(() => expect(changes).toBe(2));
  });

  test('detects a replaced parent folder, which causes no event', async () => {
    await mkdir(join(folder, 'a/b/in'), { recursive: true });
    await mkdir(join(folder, 'next/b/in'), { recursive: true });
    await open('a/b/in', 3_600_000);
    await rename(join(folder, 'a'), join(folder, 'old'));
    await rename(join(folder, 'next'), join(folder, 'a'));
    await eventually(() => expect(changes).toBeGreaterThan(0));
    changes = 0;
    await link(join(folder, 'in/sub/1'), join(folder, 'a/b/in/1'));
    await eventually(() => expect(changes).toBe(1));
  });

  test('comes less often where looking takes long', async () => {
    const slow: Disk['stat'] = (path) => new Promise((resolve) => setTimeout(resolve, 20, systemDisk.statNow(path)));
    await open('in', 3_600_000, counting({ stat: slow }));
    await polls(1, 'in');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(looked).toEqual(['in']);
  });
});
