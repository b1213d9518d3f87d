import { chmod, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isServed, longestSocketPath, narrowFolder, prepareSocketPath } from './socket.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'socket-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Nobody changes its mode, root neither. */
const unchangeable = '/proc/self/task';

describe('narrowFolder', () => {
  test.each([0o700, 0o755, 0o777, 0o2770])('has a folder of mode %o for its user alone', async (mode) => {
    await chmod(folder, mode);
    expect(await narrowFolder(folder)).toBe(true);
    expect((await stat(folder)).mode & 0o7777).toBe(0o700);
  });

  test('refuses a folder for everybody, also one that only its user may enter', async () => {
    await chmod(folder, 0o1700);
    await expect(narrowFolder(folder)).rejects.toThrow(/is a folder for everybody; a socket needs its own$/);
    expect((await stat(folder)).mode & 0o7777).toBe(0o1700);
  });

  test('refuses a folder of others that is no mounted volume', async () => {
    await expect(narrowFolder(unchangeable)).rejects.toThrow(`cannot keep others from the folder "${unchangeable}"`);
    await expect(narrowFolder(unchangeable, join(folder, 'absent'))).rejects.toThrow(/cannot keep others/);
  });

  test('says that a mounted volume of others stays theirs', async () => {
    const mounts = join(folder, 'mountinfo');
    await writeFile(mounts, `1 2 0:3 / ${await realpath(unchangeable)} rw - tmpfs tmpfs rw\n`);
    expect(await narrowFolder(unchangeable, mounts)).toBe(false);
  });
});

describe('prepareSocketPath', () => {
  test.each([
    ['the longest path that there is', 0, true],
    ['a byte more', 1, false],
  ])('%s', async (_name, more, isTaken) => {
    const path = join(folder, 'x'.repeat(longestSocketPath + more - folder.length - 1));
    const place = prepareSocketPath(path);
    if (isTaken) expect(await place).toMatchObject({ bindPath: path, isShared: false });
    else await expect(place).rejects.toThrow(`"${path}" is longer than the 107 bytes of a Unix socket's path`);
  });
});

describe('isServed', () => {
  test('is so while somebody accepts connections, and not at an absent path or a file', async () => {
    const path = join(folder, 's');
    expect(await isServed(path)).toBe(false);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(await isServed(path)).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(await isServed(path)).toBe(false);
  });
});
