import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRepository } from './open-repository.ts';
import { TestRepository } from './testing/test-repository.ts';

describe('openRepository', () => {
  let repository: TestRepository;
  beforeEach(() => {
    repository = new TestRepository();
    repository.commit({ 'mesh/a.yaml': 'a' });
  });
  afterEach(() => repository.close());

  const at = (name: string): string => join(repository.home, name);
  const foldersOf = async (folder: string, environment?: NodeJS.ProcessEnv) => {
    const { gitFolder, commonFolder } = await openRepository(folder, environment);
    return [gitFolder, commonFolder].map((path) => path.replace(`${repository.home}/`, ''));
  };

  test('opens a working tree, its .git, a worktree and a bare repository', async () => {
    expect(await foldersOf(repository.folder)).toEqual(['repository/.git', 'repository/.git']);
    expect(await foldersOf(join(repository.folder, '.git'))).toEqual(['repository/.git', 'repository/.git']);
    repository.git('worktree', 'add', '-q', at('other'), '-b', 'other');
    expect(await foldersOf(at('other'))).toEqual(['repository/.git/worktrees/other', 'repository/.git']);
    repository.git('clone', '-q', '--bare', '.', at('bare.git'));
    expect(await foldersOf(at('bare.git'))).toEqual(['bare.git', 'bare.git']);
  });

  test('says which repository a folder is of, and how its folder is chosen', async () => {
    await expect(openRepository(join(repository.folder, 'mesh'))).rejects.toThrow(
      `is a folder of the repository "${repository.folder}": name that one, and the folder after the revision: REVISION:mesh`,
    );
  });

  test('refuses what is no repository, and what is not there', async () => {
    await expect(openRepository(repository.home)).rejects.toThrow(/" is no git repository$/);
    await expect(openRepository(at('gone'))).rejects.toThrow(/^cannot open the repository ".*gone"$/);
    writeFileSync(
      join(repository.folder, '.git/config'),
      '[core]\nrepositoryformatversion = 1\n[extensions]\nnew = 1\n',
    );
    await expect(openRepository(repository.folder)).rejects.toThrow('unknown repository extension');
  });

  test("is led nowhere by variables or by the user's settings", async () => {
    mkdirSync(at('home'));
    writeFileSync(at('home/.gitconfig'), 'this is no configuration\n');
    const environment = { ...process.env, HOME: at('home'), GIT_DIR: at('gone'), GIT_CEILING_DIRECTORIES: '/' };
    expect(await foldersOf(repository.folder, environment)).toEqual(['repository/.git', 'repository/.git']);
  });

  test("refuses another user's repository, until the user calls it safe", async () => {
    for (const name of ['', '.git', '.git/config']) chownSync(join(repository.folder, name), 12_345, 12_345);
    mkdirSync(at('home'));
    const environment = { ...process.env, HOME: at('home') };
    const opened = openRepository(repository.folder, environment);
    await expect(opened).rejects.toThrow(`"git config --global --add safe.directory ${repository.folder}"`);
    writeFileSync(at('home/.gitconfig'), `[safe]\ndirectory = ${repository.folder}\n`);
    expect(await foldersOf(repository.folder, environment)).toEqual(['repository/.git', 'repository/.git']);
  });

  test.each([
    ['every call', 'exec sleep 60', /^git --version says nothing within 300 ms$/],
    [
      'a call about the folder',
      'test "$1" = --version || exec sleep 60; echo git version 2.50.0',
      /^git says nothing of/,
    ],
  ])('waits no longer than it is told for %s of a git that hangs', async (_name, script, message) => {
    mkdirSync(at('bin'));
    writeFileSync(at('bin/git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const environment = { PATH: `${at('bin')}:${process.env.PATH}` };
    await expect(openRepository(repository.folder, environment, 300)).rejects.toThrow(message);
  });

  test.each([
    ['that is not there', undefined, /^there is no program "git" on the PATH: install git$/],
    ['that is too old', 'echo git version 2.31.8', /^"git version 2.31.8" is too old: git 2.32 or later is needed$/],
  ])('refuses a git %s', async (_name, script, message) => {
    mkdirSync(at('bin'));
    if (script !== undefined) {
      writeFileSync(at('bin/git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    await expect(openRepository(repository.folder, { PATH: at('bin') })).rejects.toThrow(message);
  });
});
