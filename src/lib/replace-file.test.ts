import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replaceFile } from './replace-file.ts';

describe('replaceFile', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'replace-'));
    path = join(folder, 'a.yaml');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('makes a new file by the umask, and leaves nothing beside it', async () => {
    await replaceFile(path, 'new\n');
    expect(readFileSync(path, 'utf8')).toBe('new\n');
    expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(folder)).toEqual(['a.yaml']);
  });

  test('leaves the other names of a file, such as those of a backup, what they were', async () => {
    const other = join(folder, 'backup.yaml');
    writeFileSync(path, 'old\n');
    linkSync(path, other);
    await replaceFile(path, 'new\n');
    expect([readFileSync(path, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['new\n', 'old\n']);
  });

  test('puts another file in the place of the old one, with its mode: who has the old one open reads it to its end', async () => {
    writeFileSync(path, 'old\n');
    chmodSync(path, 0o640);
    const before = statSync(path).ino;
    await replaceFile(path, 'new\n');
    expect(readFileSync(path, 'utf8')).toBe('new\n');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(statSync(path).ino).not.toBe(before);
  });

  test('gives the file the mode that is named, an old one too', async () => {
    await replaceFile(path, 'new\n', 0o600);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    await replaceFile(path, 'newer\n', 0o600);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('replaces what a link leads to, and leaves the link', async () => {
    writeFileSync(path, 'old\n');
    const link = join(folder, 'link.yaml');
    symlinkSync('a.yaml', link);
    await replaceFile(link, 'new\n');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('new\n');
  });

  test('with a mode puts a new file in the place of a link, and writes nothing to where the link leads', async () => {
    writeFileSync(path, 'of somebody else\n');
    const link = join(folder, 'key.pem');
    symlinkSync('a.yaml', link);
    await replaceFile(link, 'secret\n', 0o600);
    expect(lstatSync(link).isFile()).toBe(true);
    expect(readFileSync(link, 'utf8')).toBe('secret\n');
    expect(readFileSync(path, 'utf8')).toBe('of somebody else\n');
  });

  test('writes to a device, which stays one', async () => {
    await replaceFile('/dev/null', 'new\n');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('says what the system says where a folder is in the place', async () => {
    await expect(replaceFile(folder, 'new\n')).rejects.toMatchObject({ code: 'EISDIR' });
    const absent = join(path, 'b');
    await expect(replaceFile(absent, 'new\n')).rejects.toMatchObject({
      ...{ code: 'ENOENT', path: absent },
      message: `ENOENT: no such file or directory, open '${absent}'`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
