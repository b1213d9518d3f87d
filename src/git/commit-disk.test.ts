import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { causesText } from '../lib/failure.ts';
import { readSources } from '../source/read.ts';
import { CommitDisk, type CommitDiskOptions } from './commit-disk.ts';
import { ObjectReader } from './object-reader.ts';
import { openCommit } from './open-commit.ts';
import { openRepository } from './open-repository.ts';
import { TestRepository } from './testing/test-repository.ts';

describe('CommitDisk', () => {
  let repository: TestRepository;
  let readers: ObjectReader[];
  beforeEach(() => {
    repository = new TestRepository();
    readers = [];
  });
  afterEach(() => {
    for (const reader of readers) reader.close();
    repository.close();
  });

  async function read(id: string, folder = '.', limits: Partial<CommitDiskOptions> = {}, of = repository.folder) {
    const reader = new ObjectReader(await openRepository(of));
    readers.push(reader);
    const { tree } = await openCommit(id, reader);
    const disk = new CommitDisk({ reader, tree, mostFileBytes: 100, ...limits });
    const bag = new DiagnosticBag();
    const files = await readSources([folder], bag, {
      filesOnly: true,
      disk,
      maxFileBytes: limits.mostFileBytes ?? 100,
    });
    return { files: Object.fromEntries(files.map(({ path, text }) => [path, text])), bag };
  }
  const refusal = async (...args: Parameters<typeof read>): Promise<string> =>
    read(...args).then(
      ({ files }) => JSON.stringify(files),
      (error) => causesText(error),
    );
  const link = (target: string, name: string): void => symlinkSync(target, join(repository.folder, name));
  /** A tree of raw lines, which git would not make of files. */
  const commitOf = (lines: string): string => {
    const tree = repository.gitIn(repository.folder, ['mktree'], lines);
    return repository.git('commit-tree', '-m', 'made', tree);
  };

  test('finds and reads as a folder of the same files is', async () => {
    const files = {
      ...{
        'a.yaml': 'a: 1',
        'mesh/b.YML': 'b: 1',
        'mesh/deep/er/c.json': '{}',
        'README.md': '# text',
        'x.yaml.orig': 'x',
      },
      ...{ '.meshpol.yaml': 'lint: {}', '..data/e.yaml': 'e: 1' },
      ...{ 'out/.meshpol-files': 'mesh.json\n', 'out/mesh.json': '{}', 'out/d.yaml': 'd: 1' },
      ...{
        'left/.meshpolignore': '*.yaml\n!kept.yaml\n',
        'left/f.yaml': 'f: 1',
        'left/kept.yaml': 'k: 1',
        'é ü.yaml': 'g: 1',
      },
    };
    repository.write(files);
    link('a.yaml', 'same.yaml');
    link('mesh', 'z');
    link('somebody@host.1', '.#a.yaml');
    const { files: found } = await read(repository.commit());
    const onDisk = await readSources([repository.folder], new DiagnosticBag(), { filesOnly: true });
    const own = onDisk.map(({ path, text }) => [path.slice(repository.folder.length + 1), text] as const);
    expect(Object.entries(found)).toEqual(own);
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining([
        'a.yaml',
        'left/kept.yaml',
        'mesh/b.YML',
        'mesh/deep/er/c.json',
        'out/d.yaml',
        'é ü.yaml',
      ]),
    );
    expect(Object.keys(found)).toHaveLength(6);
  });

  test('reads a folder of the commit alone, also through links inside of it', async () => {
    repository.write({ 'mesh/a/x.yaml': 'x: 1', 'other/y.yaml': 'y: 1' });
    link('a/x.yaml', 'mesh/link.yaml');
    const id = repository.commit();
    expect((await read(id, 'mesh')).files).toEqual({ 'mesh/a/x.yaml': 'x: 1' });
    expect((await read(id, 'mesh/link.yaml')).files).toEqual({ 'mesh/link.yaml': 'x: 1' });
    expect(await refusal(id, 'gone')).toBe('cannot read "gone": there is no "gone"');
  });

  test('knows nothing of the working tree and of the index', async () => {
    const id = repository.commit({ 'a.yaml': 'committed: 1' });
    repository.write({ 'a.yaml': 'edited: 1', 'b.yaml': 'staged: 1' });
    repository.git('add', 'b.yaml');
    rmSync(join(repository.folder, 'a.yaml'));
    expect((await read(id)).files).toEqual({ 'a.yaml': 'committed: 1' });
  });

  test.each([
    ['/etc/passwd', 'a.yaml', '"a.yaml" is a link out of the folder ".", to "/etc/passwd"'],
    ['../../x.yaml', 'a.yaml', '"a.yaml" is a link out of the folder ".", to "../../x.yaml"'],
    ['/srv/policies', 'more', '"more" is a link out of the folder ".", to "/srv/policies"'],
    ['gone.yaml', 'a.yaml', '"a.yaml" is a link that leads nowhere'],
    ['a.yaml', 'a.yaml', '"a.yaml" is a link that leads back to itself'],
  ])('refuses a link to %s as %s', async (target, name, message) => {
    link(target, name);
    expect(await refusal(repository.commit({ 'b.yaml': 'b: 1' }))).toContain(message);
  });

  test('refuses a link out of the chosen folder', async () => {
    repository.write({ 'mesh/b.yaml': 'b: 1', 'other/a.yaml': 'a: 1' });
    link('../other/a.yaml', 'mesh/a.yaml');
    expect(await refusal(repository.commit(), 'mesh')).toContain('out of the folder "mesh", to ":/other/a.yaml"');
  });

  test('refuses a submodule by its name, unless it is left out', async () => {
    const other = new TestRepository();
    other.commit({ 'x.yaml': 'x: 1' });
    repository.git('submodule', '--quiet', 'add', other.folder, 'theirs');
    other.close();
    const id = repository.commit({ 'a.yaml': 'a: 1' });
    expect(await refusal(id)).toContain('"theirs" is a submodule, whose files are in another repository');
    expect((await read(repository.commit({ '.meshpolignore': 'theirs/\n' }))).files).toEqual({ 'a.yaml': 'a: 1' });
  });

  test('reads shallow clones, packed objects and repositories of SHA-256', async () => {
    repository.commit({ 'a.yaml': 'a: 1' });
    const id = repository.commit({ 'b.yaml': 'b: 1' });
    repository.git('gc', '-q', '--prune=now');
    expect(Object.keys((await read(id)).files)).toEqual(['a.yaml', 'b.yaml']);
    const shallow = join(repository.home, 'shallow');
    repository.git('clone', '-q', '--depth', '1', `file://${repository.folder}`, shallow);
    expect(Object.keys((await read(id, '.', {}, shallow)).files)).toEqual(['a.yaml', 'b.yaml']);
    const wide = join(repository.home, 'wide');
    repository.git('init', '-q', '--object-format=sha256', wide);
    const blob = repository.gitIn(wide, ['hash-object', '-w', '--stdin'], 'w: 1');
    const tree = repository.gitIn(wide, ['mktree'], `100644 blob ${blob}\tw.yaml\n`);
    const wideId = repository.gitIn(wide, ['commit-tree', '-m', 'wide', tree]);
    expect((await read(wideId, '.', {}, wide)).files).toEqual({ 'w.yaml': 'w: 1' });
  });

  test('fetches nothing into a clone without all objects, and names the one that is missing', async () => {
    const id = repository.commit({ 'a.yaml': 'a: 1' });
    repository.git('config', 'uploadpack.allowFilter', 'true');
    const partial = join(repository.home, 'partial');
    repository.git('clone', '-q', '--no-checkout', '--filter=blob:none', `file://${repository.folder}`, partial);
    const blob = repository.git('rev-parse', 'HEAD:a.yaml');
    expect(await refusal(id, '.', {}, partial)).toContain(blob);
    const held = (): string => repository.gitIn(partial, ['cat-file', '--batch-all-objects', '--batch-check']);
    expect(held()).not.toContain(blob);
  });

  test('says which object is damaged, and of which file', async () => {
    const id = repository.commit({ 'a.yaml': 'a: 1' });
    const blob = repository.git('rev-parse', 'HEAD:a.yaml');
    const file = join(repository.folder, '.git/objects', blob.slice(0, 2), blob.slice(2));
    rmSync(file);
    writeFileSync(file, 'no object');
    expect(await refusal(id)).toContain(`cannot read "a.yaml": the object ${blob} is missing or damaged`);
  });

  test('waits no longer than it is told for a git that hangs', async () => {
    const opened = await openRepository(repository.folder);
    const bin = join(repository.home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const environment = { PATH: `${bin}:${process.env.PATH}` };
    const reader = new ObjectReader({ ...opened, environment, longestMs: 300 });
    readers.push(reader);
    const told = 'git cat-file in the repository ".*" said nothing for 300 ms';
    await expect(reader.read('HEAD', 1)).rejects.toThrow(new RegExp(told));
    // Nobody waits for it a second time.
    await expect(reader.read('HEAD', 1)).rejects.toThrow(new RegExp(told));
  });

  test('takes no replaced object for the one that was committed', async () => {
    const id = repository.commit({ 'a.yaml': 'a: 1' });
    const other = repository.commit({ 'a.yaml': 'a: 2' });
    repository.git('replace', id, other);
    expect((await read(id)).files).toEqual({ 'a.yaml': 'a: 1' });
  });

  test('reads the commit that a tag leads to, and refuses a tag of something else', async () => {
    const id = repository.commit({ 'a.yaml': 'a: 1' });
    repository.git('tag', '-a', '-m', 'outer', 'release', id);
    expect((await read(repository.git('rev-parse', 'release'))).files).toEqual({ 'a.yaml': 'a: 1' });
    const tree = repository.git('rev-parse', 'HEAD^{tree}');
    expect(await refusal(tree)).toContain(`${tree} is no commit, and no tag of one, that the repository has`);
  });

  test('reports a file that is too large without keeping it, and files that are no text', async () => {
    repository.write({ 'a.yaml': 'a: 1', 'large.yaml': `l: ${'x'.repeat(1_000_000)}` });
    repository.git('add', '.');
    const { files, bag } = await read(repository.commit({ 'b.yaml': 'b: \0' }), '.', { mostFileBytes: 100 });
    expect(Object.keys(files)).toEqual(['a.yaml', 'b.yaml']);
    expect(bag.all.map(({ code, span }) => [code, span?.file])).toEqual([['file-too-large', 'large.yaml']]);
  });

  test('gives up where a few objects stand for more names or bytes than a mesh has', async () => {
    const blob = repository.gitIn(repository.folder, ['hash-object', '-w', '--stdin'], 'b: 1');
    let tree = repository.gitIn(repository.folder, ['mktree'], `100644 blob ${blob}\tb.yaml\n`);
    for (let level = 0; level < 6; level++) {
      const lines = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\t${index}\n`);
      tree = repository.gitIn(repository.folder, ['mktree'], lines.join(''));
    }
    const id = repository.git('commit-tree', '-m', 'many', tree);
    expect(await refusal(id, '.', { mostEntries: 1_000 })).toContain('the tree has more than 1000 names');
    expect(await refusal(id, '0/0/0', { mostBytes: 1_000 })).toContain('its files have more than 1000 bytes');
  });

  test('refuses names that git does not create, and distinguishes names that are not UTF-8', async () => {
    const blob = repository.gitIn(repository.folder, ['hash-object', '-w', '--stdin'], 'b: 1');
    const { files } = await read(commitOf(`100644 blob ${blob}\t"\\344.yaml"\n100644 blob ${blob}\t"\\345.yaml"\n`));
    expect(Object.keys(files)).toEqual(['\\xe4.yaml', '\\xe5.yaml']);
    const twice = commitOf(`100644 blob ${blob}\ta.yaml\n100755 blob ${blob}\ta.yaml\n`);
    expect(await refusal(twice)).toMatch(/the tree [0-9a-f]{40} is damaged: it names "a.yaml" twice/);
  });
});
