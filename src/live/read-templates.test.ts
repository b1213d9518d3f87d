import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { readTemplates } from './read-templates.ts';

describe('readTemplates', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'templates-'));
    await mkdir(join(folder, 'named/partials'), { recursive: true });
    await writeFile(join(folder, 'secret'), 'root:secret');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const read = async (name: string, options = {}) =>
    (await readTemplates(join(folder, name), new DiagnosticBag(), options)).files.map((file) => file.name);

  test('reads a mounted volume by the names of its links, and what was named even if it is a link', async () => {
    await mkdir(join(folder, 'named/..2026_01_01'));
    await writeFile(join(folder, 'named/..2026_01_01/bootstrap.json.hbs'), '{}');
    await symlink('..2026_01_01', join(folder, 'named/..data'));
    await symlink('..data/bootstrap.json.hbs', join(folder, 'named/bootstrap.json.hbs'));
    await symlink('named/..data/bootstrap.json.hbs', join(folder, 'one.json'));
    expect(await read('named')).toEqual(['bootstrap.json.hbs']);
    expect(await read('one.json')).toEqual(['bootstrap.json.hbs']);
  });

  test.each([
    ['a file', 'secret', 'partials/route.hbs'],
    ['a folder', '', 'partials/up'],
  ])('refuses a link that leads out of the folder, to %s', async (_, target, name) => {
    await symlink(join(folder, target), join(folder, 'named', name));
    await expect(read('named')).rejects.toThrow(/cannot read the templates ".*": ".*" is a link out of the folder "/);
  });

  test('names a link that leads nowhere, and its target', async () => {
    await symlink('gone.json', join(folder, 'one.json'));
    await expect(read('one.json')).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot read the templates ".*\/one\.json"$/),
      cause: { message: expect.stringMatching(/one\.json" is a link that leads nowhere, by "gone\.json"/) },
    });
  });

  test('refuses pipes in a folder, and named ones where only files will do', async () => {
    execFileSync('mkfifo', [join(folder, 'named/bootstrap.json.hbs')]);
    await expect(read('named')).rejects.toThrow(/bootstrap\.json\.hbs" is a pipe or device/);
    await expect(read('named/bootstrap.json.hbs', { filesOnly: true })).rejects.toThrow(/is a pipe or device/);
  });
});
