import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWorldFailure } from './failure.ts';
import { readNamedFile } from './read-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-file-'));
  writeFileSync(join(folder, 'text'), 'bytes');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('/dev/zero', join(folder, 'endless'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('readNamedFile', () => {
  test('gives the bytes of a file, and nothing of an empty device', async () => {
    expect(String(await readNamedFile(join(folder, 'text')))).toBe('bytes');
    expect(String(await readNamedFile('/dev/null'))).toBe('');
  });

  test.each([
    ['pipe', 'a pipe, not a file'],
    ['endless', 'a device, not a file'],
    ['absent', 'ENOENT'],
    ['.', 'EISDIR'],
  ])('refuses %s with %s, at once', async (name, code) => {
    await expect(readNamedFile(join(folder, name))).rejects.toMatchObject({ code });
  });

  test.each(['pipe', 'endless'])('says of %s that the world is wrong, not the program', async (name) => {
    expect(isWorldFailure(await readNamedFile(join(folder, name)).catch((error: unknown) => error))).toBe(true);
  });
});
