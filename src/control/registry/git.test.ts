import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { parseRevision, type Revision } from '../../git/revision.ts';
import { TestRepository } from '../../git/testing/test-repository.ts';
import { eventually } from '../../testing/eventually.ts';
import { GitRegistry } from './git.ts';

const deny = 'kind: AuthorizationPolicy\n';

describe('GitRegistry', () => {
  let repository: TestRepository;
  let registries: GitRegistry[];
  let first: string;
  beforeEach(() => {
    repository = new TestRepository();
    registries = [];
    first = repository.commit({ 'mesh/a.yaml': 'kind: Service\n', 'README.md': 'text' });
  });
  afterEach(() => {
    for (const registry of registries) registry.close();
    repository.close();
  });

  function open(revision: string, folder = repository.folder): GitRegistry {
    const registry = new GitRegistry(folder, parseRevision(revision) as Revision);
    registries.push(registry);
    return registry;
  }
  /** A registry that looks whenever it is told to, and what it gives. */
  async function follow(revision: string, folder?: string) {
    const registry = open(revision, folder);
    const given: (string | undefined)[] = [];
    const problems: string[] = [];
    let turn = Promise.resolve();
    let looks = 0;
    const look = (): Promise<void> => {
      looks++;
      turn = turn.then(async () => {
        const batch = await registry
          .look(new DiagnosticBag())
          .catch((error: Error) => void problems.push(error.message));
        if (batch !== undefined) given.push(batch.commit);
      });
      return turn;
    };
    await registry.follow(() => void look());
    await look();
    return { registry, given, problems, look, looks: () => looks };
  }
  const look = async (registry: GitRegistry) => registry.look(new DiagnosticBag());
  const settles = (check: () => void): Promise<void> => eventually(check, { interval: 20 });

  test('gives the files of the commit, named by the revision, and nothing if nothing differs', async () => {
    const registry = open('main');
    expect(await look(registry)).toEqual({
      files: [{ path: 'main:mesh/a.yaml', text: 'kind: Service\n', isFound: true }],
      ...{ isUrgent: false, isEndpoints: false, commit: first },
    });
    expect(await look(registry)).toBeUndefined();
    const committedAtMs = Date.UTC(2026, 0, 2, 3, 4, 5);
    expect(registry.revision).toEqual({ name: 'main', commit: first, committedAtMs, problem: undefined });
  });

  test('names files of a commit that is given by its id by the first digits of that', async () => {
    const files = (await look(open(`${first}:mesh`)))?.files ?? [];
    expect(files.map(({ path }) => path)).toEqual([`${first.slice(0, 12)}:mesh/a.yaml`]);
  });

  test('names the revision in what it reports of a file', async () => {
    repository.commit({ 'mesh/a.yaml': 'kind: \uFFFF', 'mesh/b.yaml': '' });
    const bag = new DiagnosticBag();
    await open('main:mesh').look(bag);
    expect(bag.all.map(({ code, span }) => [code, span?.file])).toContainEqual(['empty-file', 'main:mesh/b.yaml']);
  });

  test('gives one batch for a branch that moves, also backwards, and says what kind of change it is', async () => {
    const { given, registry } = await follow('main');
    const second = repository.commit({ 'mesh/deny.yaml': deny });
    await settles(() => expect(given).toEqual([first, second]));
    repository.git('reset', '-q', '--hard', first);
    await settles(() => expect(given).toEqual([first, second, first]));
    repository.commit({ 'mesh/deny.yaml': deny });
    expect((await look(open('main')))?.isUrgent).toBe(true);
    expect(registry.revision.problem).toBeUndefined();
  });

  test('gives nothing for edited files, a checkout of another branch, packed references and git gc', async () => {
    const { given, look } = await follow('main');
    repository.write({ 'mesh/a.yaml': 'kind: Half' });
    repository.git('checkout', '-q', '-B', 'other');
    repository.commit({ 'mesh/deny.yaml': deny });
    repository.git('pack-refs', '--all');
    repository.git('gc', '-q', '--prune=now');
    await look();
    // What comes after all that is seen, and is all that is given.
    const second = repository.git('commit-tree', '-p', first, '-m', 'x', 'HEAD^{tree}');
    repository.git('update-ref', 'refs/heads/main', second);
    await settles(() => expect(given).toEqual([first, second]));
  });

  test('gives nothing for a commit that leaves the chosen folder as it is, but knows that it was read', async () => {
    const { given, registry } = await follow('main:mesh');
    const second = repository.commit({ 'other/b.yaml': 'kind: Pod\n' });
    await settles(() => expect(registry.revision.commit).toBe(second));
    expect(given).toEqual([first]);
  });

  test('keeps the last commit when the branch is deleted, reports that once, and reads the branch again when it is back', async () => {
    repository.git('checkout', '-q', '--detach');
    const { given, problems, registry, look } = await follow('main');
    repository.git('branch', '-q', '-D', 'main');
    await settles(() => expect(problems).toHaveLength(1));
    expect(problems[0]).toBe(
      `the revision "main" cannot be read; commit ${first} stays in force: ` +
        `the repository "${repository.folder}" has no reference "refs/heads/main"`,
    );
    await look();
    expect(problems).toHaveLength(1);
    expect(registry.revision).toMatchObject({ commit: first, problem: expect.stringContaining('refs/heads/main') });
    // Neither is the branch that was meant.
    repository.git('tag', 'main', first);
    repository.git('branch', '-q', 'main', first);
    await settles(() => expect(given).toEqual([first, first]));
    expect(registry.revision.problem).toBeUndefined();
  });

  test('reads the next commit if the first one is deleted while it is read', async () => {
    const { registry, look, given, problems } = await follow('main');
    registry.close();
    const [bin, mark] = ['bin', 'mark'].map((name) => join(repository.home, name)) as [string, string];
    const change = 'commit -q --amend -m other && git reflog expire --expire=now --all && git gc -q --prune=now';
    const trap = `test "$1" = cat-file && rm '${mark}' 2>&- && git -c user.name=a -c user.email=a@example.com ${change}`;
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\nPATH='${process.env.PATH}'\n${trap}\nexec git "$@"\n`, { mode: 0o755 });
    const replaced = repository.commit({ 'mesh/deny.yaml': deny });
    writeFileSync(mark, '');
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    await look();
    vi.unstubAllEnvs();
    expect(problems).toEqual([]);
    expect(given.at(-1)).toBe(repository.git('rev-parse', 'main'));
    expect(given.at(-1)).not.toBe(replaced);
  });

  test('does not confuse a tag of the same name with the branch that it follows', async () => {
    const { given, problems } = await follow('main');
    repository.git('tag', 'main', repository.git('commit-tree', '-m', 'x', 'HEAD^{tree}'));
    const second = repository.commit({ 'mesh/deny.yaml': deny });
    await settles(() => expect(given).toEqual([first, second]));
    expect(problems).toEqual([]);
  });

  test('waits until the repository, the branch and its folder exist', async () => {
    const folder = join(repository.home, 'later');
    const { given, problems } = await follow('new:sub', folder);
    expect(problems.at(-1)).toContain(`no commit of it was read yet: cannot open the repository "${folder}"`);
    repository.git('clone', '-q', '--bare', '.', folder);
    await settles(() => expect(problems.at(-1)).toContain('has no branch or tag "new"'));
    repository.git('push', '-q', folder, 'main:new');
    await settles(() => expect(problems.at(-1)).toContain('there is no "sub"'));
    const second = repository.commit({ 'sub/b.yaml': 'kind: Pod\n' });
    repository.git('push', '-q', folder, 'main:new');
    await settles(() => expect(given).toEqual([second]));
  });

  test('keeps the last commit while the repository is missing', async () => {
    const { given, problems } = await follow('main');
    const away = join(repository.home, 'away');
    renameSync(repository.folder, away);
    await settles(() => expect(problems.at(-1)).toContain(`commit ${first} stays in force: cannot open`));
    renameSync(away, repository.folder);
    await settles(() => expect(given).toEqual([first, first]));
  });

  test('follows HEAD of a worktree, and a symbolic link that is switched to another worktree', async () => {
    const tree = (name: string, commit: string): string => {
      repository.git('worktree', 'add', '-q', '--detach', join(repository.home, name), commit);
      return join(repository.home, name);
    };
    const link = join(repository.home, 'current');
    symlinkSync(tree('one', first), link);
    const { given } = await follow('HEAD', link);
    const second = repository.commit({ 'mesh/deny.yaml': deny });
    symlinkSync(tree('two', second), `${link}.new`);
    renameSync(`${link}.new`, link);
    await settles(() => expect(given).toEqual([first, second]));
    repository.gitIn(link, ['checkout', '-q', '--detach', first]);
    await settles(() => expect(given).toEqual([first, second, first]));
  });

  test('follows references that are stored in reftable, by the list of their files', async () => {
    const { looks } = await follow('main');
    // It is told of the files that it follows once, and may be while this begins.
    await settles(() => expect(looks()).toBe(2));
    repository.write({ '.git/reftable/tables.list': 'one\n' });
    await settles(() => expect(looks()).toBe(3));
  });
});
