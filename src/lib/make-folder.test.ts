import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from './make-folder.ts';

describe.each([
  ['makeFolder', makeFolder],
  ['makeFolderSync', async (...args: Parameters<typeof makeFolderSync>) => makeFolderSync(...args)],
])('%s', (_, make) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'make-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const modeOf = (path: string): number => statSync(join(folder, path)).mode & 0o777;

  test('gives its mode to the folder, and what the umask leaves to those above it', async () => {
    await make(join(folder, 'a/b/c'));
    await make(join(folder, 'a/b/d'), 0o750);
    await make(join(folder, 'a/b'));
    const usual = 0o777 & ~process.umask();
    expect(['a', 'a/b', 'a/b/c', 'a/b/d'].map(modeOf)).toEqual([usual, usual, 0o700, 0o750 & ~process.umask()]);
  });

  test('takes a link to a folder for the folder', async () => {
    symlinkSync(folder, join(folder, 'link'));
    await make(join(folder, 'link'));
    await make(join(folder, 'link/a'));
    expect(modeOf('a')).toBe(0o700);
  });

  test('makes one folder for many who ask at the same time', async () => {
    const paths = Array.from({ length: 20 }, (_, i) => join(folder, `x/y/${i % 3}`));
    await Promise.all(paths.map((path) => make(path)));
    expect(readdirSync(join(folder, 'x/y')).sort()).toEqual(['0', '1', '2']);
  });

  test('fails at once where nothing can be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(make('/proc/no/such/folder')).rejects.toThrow('ENOENT');
    await expect(make(join(folder, 'file'))).rejects.toThrow('EEXIST');
    await expect(make(join(folder, 'file/a'))).rejects.toThrow('ENOTDIR');
    await expect(make('/dev/null/a')).rejects.toThrow('ENOTDIR');
  });
});

test("no program makes folders in Node's own way, which below /proc never ends", () => {
  const root = join(import.meta.dirname, '..');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.ts$/.test(name) && !/\.(test|e2e)\.ts$|testing\/|testbed\/|generated\//.test(name),
  );
  expect(names.length).toBeGreaterThan(500);
  const faulty = names.filter((name) => /mkdir(Sync)?\([^;]*recursive/.test(readFileSync(join(root, name), 'utf8')));
  expect(faulty).toEqual([]);
});
