import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { writeText } from './write-text.ts';

describe('writeText', () => {
  const folder = mkdtempSync(join(tmpdir(), 'write-text-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const earth = '\u{1f310}';

  test.each([
    ['an empty text', ''],
    ['a short text', `abc ${earth}`],
    ['a long text', 'abc\n'.repeat(2 ** 18)],
    ['a long text in which each place of a cut is within a character', `a${earth.repeat(2 ** 18)}`],
    ['a long text whose characters take three bytes', '\u20ac'.repeat(2 ** 19)],
    ['a text that is one character longer than a piece', `${'b'.repeat(2 ** 18 - 1)}${earth}`],
  ])('writes %s whole, instead of what was there, for its owner alone', async (_, text) => {
    const path = join(folder, String(text.length));
    await writeText(path, 'before'.repeat(2 ** 18));
    await writeText(path, text);
    expect((await readFile(path, 'utf8')) === text).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('fails where the folder is not there, for a long text too', async () => {
    for (const text of ['a', 'a'.repeat(2 ** 20)]) {
      await expect(writeText(join(folder, 'none/a'), text)).rejects.toThrow('ENOENT');
    }
  });
});
