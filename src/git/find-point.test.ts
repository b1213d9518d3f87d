import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPoint } from './find-point.ts';
import { openRepository } from './open-repository.ts';
import { TestRepository } from './testing/test-repository.ts';

describe('findPoint', () => {
  let repository: TestRepository;
  let first: string;
  beforeEach(() => {
    repository = new TestRepository();
    first = repository.commit({ 'a.yaml': 'a' });
  });
  afterEach(() => repository.close());

  const find = async (name: string, folder = repository.folder) => findPoint(await openRepository(folder), name);

  test('finds branches, tags, branches of others, HEAD and full ids', async () => {
    repository.git('tag', 'light');
    repository.git('tag', '-a', '-m', 'tag', 'heavy');
    repository.git('update-ref', 'refs/remotes/origin/theirs', first);
    const names = ['main', 'light', 'heavy', 'origin/theirs', 'HEAD', first];
    const found = await Promise.all(names.map((name) => find(name)));
    expect(found.map(({ name }) => name)).toEqual([
      ...['refs/heads/main', 'refs/tags/light', 'refs/tags/heavy', 'refs/remotes/origin/theirs', 'HEAD', first],
    ]);
    const tag = repository.git('rev-parse', 'heavy');
    expect(found.map(({ id }) => id)).toEqual([first, first, tag, first, first, first]);
  });

  test('finds what is packed, what a symbolic reference leads to, and a HEAD without a branch', async () => {
    repository.git('pack-refs', '--all');
    repository.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/main');
    repository.git('checkout', '-q', '--detach');
    for (const name of ['main', 'refs/remotes/origin/HEAD', 'HEAD']) expect((await find(name)).id).toBe(first);
    expect((await find('refs/remotes/origin/HEAD')).files).toContain(join(repository.folder, '.git/refs/heads/main'));
  });

  test('refuses a short name of two references, and takes a full one for itself alone', async () => {
    repository.git('tag', 'main');
    await expect(find('main')).rejects.toThrow('"main" is short for refs/heads/main, refs/tags/main');
    repository.git('checkout', '-q', '--detach');
    repository.git('update-ref', '-d', 'refs/heads/main');
    repository.git('tag', 'refs/heads/main');
    await expect(find('refs/heads/main')).rejects.toThrow('has no reference "refs/heads/main"');
  });

  test('says what is not there, and what may be meant', async () => {
    await expect(find('mian')).rejects.toThrow(
      /^the repository ".*" has no branch or tag "mian"; did you mean "main"\?$/,
    );
    await expect(find('other')).rejects.toThrow(/has no branch or tag "other"$/);
    repository.git('checkout', '-q', '--orphan', 'new');
    await expect(find('HEAD')).rejects.toThrow('HEAD is "refs/heads/new", which has no commit yet');
  });

  test('takes no tag of the name HEAD for a HEAD that has no commit', async () => {
    repository.git('update-ref', 'refs/tags/HEAD', first);
    repository.git('checkout', '-q', '--orphan', 'new');
    await expect(find('HEAD')).rejects.toThrow('no commit yet');
  });

  test('names the files that change when the reference moves, also for a worktree', async () => {
    const git = join(repository.folder, '.git');
    expect((await find('main')).files).toEqual(
      expect.arrayContaining([
        join(git, 'refs/heads/main'),
        join(git, 'packed-refs'),
        join(git, 'reftable/tables.list'),
      ]),
    );
    const other = join(repository.home, 'other');
    repository.git('worktree', 'add', '-q', other, '-b', 'other');
    const { files } = await find('HEAD', other);
    expect(files).toEqual(expect.arrayContaining([join(git, 'worktrees/other/HEAD'), join(git, 'refs/heads/other')]));
  });
});
