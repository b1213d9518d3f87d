import { mkdir, mkdtemp, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { readSources } from '../source/read.ts';
import { type Disk, systemDisk } from '../watch/disk.ts';
import { MountPoints } from '../watch/mount-points.ts';
import { type ReadingRound, SourceMemory } from './source-memory.ts';

describe('SourceMemory', () => {
  let folder: string;
  let memory: SourceMemory;
  /** What is added to the clock: files that were written now are old by it. */
  let aheadMs: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sources-'));
    aheadMs = 10_000;
    memory = new SourceMemory({ clock: () => Date.now() + aheadMs });
    await writeFile(join(folder, 'a.yaml'), 'a: 1\n');
    await writeFile(join(folder, 'b.yaml'), 'b: 1\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Which files were read, and what all of them hold. */
  const read = async (bag = new DiagnosticBag()): Promise<{ read: string[]; text: string }> => {
    const names: string[] = [];
    const { read: through } = memory.round();
    const files = await readSources([folder], bag, {
      through: (path, load) =>
        through(path, () => {
          names.push(path.slice(folder.length + 1));
          return load();
        }),
    });
    return { read: names, text: files.map(({ text }) => text).join('') };
  };

  test('reads a file once, until it is another', async () => {
    expect(await read()).toEqual({ read: ['a.yaml', 'b.yaml'], text: 'a: 1\nb: 1\n' });
    expect(await read()).toEqual({ read: [], text: 'a: 1\nb: 1\n' });
  });

  test('a file of a folder that has not changed is the same object, by which others remember it', async () => {
    const files = () => readSources([folder], new DiagnosticBag(), { through: memory.round().read });
    const [a, b] = await files();
    await writeFile(join(folder, 'b.yaml'), 'b: 22\n');
    const again = await files();
    expect(a).toMatchObject({ text: 'a: 1\n', isFound: true });
    expect(again[0]).toBe(a);
    expect(again[1]).not.toBe(b);
  });

  test.each<[string, () => Promise<void>, string]>([
    ['is written in place', () => writeFile(join(folder, 'a.yaml'), 'a: 22\n'), 'a: 22\nb: 1\n'],
    ['is replaced by one of its size and time', () => replaceA(), 'a: 2\nb: 1\n'],
    ['becomes a link', () => linkA(), 'b: 1\nb: 1\n'],
  ])('reads a file again that %s', async (_, change, text) => {
    await read();
    await change();
    expect(await read()).toEqual({ read: ['a.yaml'], text });
    expect((await read()).text).toBe(text);
  });

  const replaceA = async (): Promise<void> => {
    await writeFile(join(folder, 'next'), 'a: 2\n');
    for (const name of ['next', 'a.yaml']) await utimes(join(folder, name), 1_000, 1_000);
    await read();
    await rename(join(folder, 'next'), join(folder, 'a.yaml'));
  };
  const linkA = async (): Promise<void> => {
    await writeFile(join(folder, 'c.txt'), 'b: 1\n');
    await unlink(join(folder, 'a.yaml'));
    await symlink('c.txt', join(folder, 'a.yaml'));
  };

  test('reads a file again that was written just before: it may be written again within the same moment', async () => {
    aheadMs = 0;
    await read();
    expect((await read()).read).toEqual(['a.yaml', 'b.yaml']);
  });

  test('reads on its own thread plain files of this machine, and no link or mount, which may lead to a server', async () => {
    await mkdir(join(folder, 'far'));
    for (const name of ['far/f.yaml', 'mounted.yaml']) await writeFile(join(folder, name), 'far: 1\n');
    await symlink('far/f.yaml', join(folder, 'link.yaml'));
    const atOnce: string[] = [];
    const disk: Disk = {
      ...systemDisk,
      isLocal: (path) => Promise.resolve(!path.endsWith('far')),
      mounts: () => Promise.resolve(new MountPoints(`1 2 0:3 / ${folder}/mounted.yaml rw - nfs a:/b rw`)),
      statNow: (path) => {
        atOnce.push(`look ${path}`);
        return systemDisk.statNow(path);
      },
    };
    const { read: through } = new SourceMemory({ disk }).round();
    const files = await readSources([folder], new DiagnosticBag(), {
      through: (path, load) =>
        through(path, (isAtOnce) => {
          if (isAtOnce) atOnce.push(`read ${path}`);
          return load(isAtOnce);
        }),
    });
    expect(files.map(({ path }) => path.slice(folder.length + 1))).toEqual([
      ...['a.yaml', 'b.yaml', 'far/f.yaml', 'mounted.yaml'],
    ]);
    const plain = ['a', 'b'].map((name) => `${folder}/${name}.yaml`);
    expect(new Set(atOnce)).toEqual(new Set(plain.flatMap((path) => [`look ${path}`, `read ${path}`])));
  });

  test('reports a file that is no text each time', async () => {
    await writeFile(join(folder, 'bad.yaml'), Uint8Array.of(0xff, 0xfe, 0xfd));
    for (let round = 0; round < 2; round++) {
      const bag = new DiagnosticBag();
      await read(bag);
      expect(bag.all.map(({ code }) => code)).toEqual(['wrong-encoding']);
    }
  });

  test('forgets a file that is gone for a round', async () => {
    await read();
    await rename(join(folder, 'a.yaml'), join(folder, 'away'));
    expect((await read()).text).toBe('b: 1\n');
    await rename(join(folder, 'away'), join(folder, 'a.yaml'));
    expect((await read()).text).toBe('a: 1\nb: 1\n');
  });

  describe('writtenAfter', () => {
    const nowMs = 1_000_000;
    const file = (): string => join(folder, 'a.yaml');
    /** Writes in place, as of a moment. */
    const write = async (text: string, atMs: number): Promise<void> => {
      await writeFile(file(), text);
      await utimes(file(), atMs / 1000, atMs / 1000);
    };
    const look = async (meanwhile?: () => Promise<void>): Promise<ReadingRound> => {
      const round = memory.round();
      await readSources([file()], new DiagnosticBag(), {
        through: (path, load) =>
          round.read(path, async (isAtOnce) => {
            const read = await load(isAtOnce);
            await meanwhile?.();
            return read;
          }),
      });
      return round;
    };

    beforeEach(async () => {
      await write('a: 1\n', nowMs - 10);
      (await look()).take();
    });

    test('names a file that was written in place since, until that is taken', async () => {
      await write('a: 3\n---\n', nowMs);
      expect((await look()).writtenAfter(nowMs - 1)).toEqual([file()]);
      const round = await look();
      expect([round.writtenAfter(nowMs - 1), round.writtenAfter(nowMs)]).toEqual([[file()], []]);
      round.take();
      expect((await look()).writtenAfter(nowMs - 1)).toEqual([]);
    });

    test('names a file that was written while it was read', async () => {
      await write('a: 3\n---\n', nowMs - 50);
      const round = await look(() => write('a: 3\n---\nb: 4\n', nowMs));
      expect(round.writtenAfter(nowMs - 40)).toEqual([file()]);
    });

    test('does not name what took the place of a file by a rename', async () => {
      await writeFile(join(folder, 'next'), 'a: 3\n');
      await utimes(join(folder, 'next'), nowMs / 1000, nowMs / 1000);
      await rename(join(folder, 'next'), file());
      expect((await look()).writtenAfter(0)).toEqual([]);
    });
  });
});
