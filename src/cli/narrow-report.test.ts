import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { run as meshpol } from './testing/run-meshpol.ts';

const policy = (name: string, method: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop}
spec: {rules: [{to: [{operation: {hosts: [${name}.example], methods: [${method}]}}]}]}
`;

let folder: string;
const put = (name: string, ...texts: string[]): void => writeFileSync(join(folder, name), texts.join('---\n'));
const lint = (options: string) => meshpol(`lint ${folder} --fail-on warning ${options}`);

beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), 'lint-'));
  folder = made;
  onTestFinished(() => rmSync(made, { recursive: true }));
});

describe('--baseline', () => {
  test('leaves out what was found before, wherever it moves, and fails for what is new', async () => {
    const file = join(folder, 'baseline.txt');
    put('a.yaml', policy('a', 'get'));
    expect(await lint(`--write-baseline ${file}`)).toMatchObject({ code: 0, out: '' });
    put('a.yaml', `# Moved.\n\n${policy('a', 'get')}`, policy('b', 'post'));
    const { code, out, error } = await lint(`--baseline ${file}`);
    expect(code).toBe(1);
    expect(out.match(/warning: .*/g)).toEqual([expect.stringContaining('"post"')]);
    expect(error).toMatch(/^1 warning in 1 file \(1 in the baseline\)/);
  });

  test('counts entries without a finding, and reports the third of equal findings when the baseline has two', async () => {
    const file = join(folder, 'baseline.txt');
    put('a.yaml', policy('a', 'get, get'));
    await lint(`--write-baseline ${file}`);
    expect(JSON.parse(readFileSync(file, 'utf8')).findings).toHaveLength(2);
    put('a.yaml', policy('a', 'get, get, get'));
    expect((await lint(`--baseline ${file}`)).code).toBe(1);
    put('a.yaml', policy('a', 'get'));
    expect(await lint(`--baseline ${file}`)).toMatchObject({
      ...{ code: 0, error: expect.stringContaining('1 in the baseline, 1 of the baseline are gone') },
    });
  });

  test('the info that counts skipped documents stays in the baseline when the count changes', async () => {
    const file = join(folder, 'baseline.txt');
    const other = 'apiVersion: example.com/v1\nkind: Other\nmetadata: {name: a}\n';
    put('a.yaml', policy('a', 'get'), other);
    await lint(`--write-baseline ${file}`);
    put('a.yaml', policy('a', 'get'), other, other);
    const { code, error } = await lint(`--baseline ${file} --fail-on info`);
    expect(code).toBe(0);
    expect(error).toMatch(/^no findings in 1 file \(2 in the baseline\)/);
  });

  test('never accepts what does not compile', async () => {
    put('a.yaml', `${policy('a', 'GET')}surprise: 1\n`);
    expect((await lint(`--write-baseline ${join(folder, 'baseline.txt')}`)).code).toBe(1);
  });

  test.each([
    ['--baseline /nowhere', 3, 'cannot read the baseline "/nowhere"'],
    ['--baseline /dev/null', 2, 'is no baseline'],
    ['--write-baseline /nowhere/at/all', 3, 'cannot write the baseline'],
    ['--baseline a --write-baseline b', 2, 'exclude each other'],
    ['--baseline a --fix', 2, 'goes with neither a baseline'],
  ])('%s is refused', async (options, code, text) => {
    put('a.yaml', policy('a', 'get'));
    const result = await lint(options);
    expect([result.code, result.error.includes(text) || result.error]).toEqual([code, true]);
  });
});

describe('--changed-since', () => {
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
  };
  const names = (out: string): string[] =>
    [...out.matchAll(/([a-z é]+)\.yaml:(\d+)/g)].map(([, name, line]) => `${name}:${line}`);

  beforeEach(() => {
    git('init', '-q');
    put('a.yaml', policy('one', 'get'), policy('two', 'get'), policy('three', 'get'));
    put('b é.yaml', policy('four', 'get'));
    git('add', '.');
    git('commit', '-q', '-m', 'first');
  });

  test('reports documents that changed, committed or not, and new files', async () => {
    put('a.yaml', policy('one', 'get'), policy('two', 'post'), policy('three', 'get'));
    git('commit', '-q', '-a', '-m', 'second');
    put('b é.yaml', `# Changed.\n${policy('four', 'get')}`);
    put('c.yaml', policy('five', 'get'));
    const { code, out, error } = await lint('--changed-since HEAD~1');
    expect([code, names(out)]).toEqual([1, ['a:9', 'b é:5', 'c:4']]);
    expect(error).toContain('(2 not touched by the change)');
    expect(names((await lint('--changed-since HEAD')).out)).toEqual(['b é:5', 'c:4']);
  });

  test('reports nothing where nothing changed, and everything where the project file did', async () => {
    expect(await lint('--changed-since HEAD')).toMatchObject({ code: 0, out: '' });
    put('.meshpol.yaml', 'lint: {failOn: warning}\n');
    expect(names((await lint('--changed-since HEAD')).out)).toHaveLength(4);
  });

  test('takes every file for changed that git does not compare', async () => {
    put('.gitignore', 'ignored.yaml\n');
    put('ignored.yaml', policy('five', 'get'));
    mkdirSync(join(folder, 'other'));
    execFileSync('git', ['init', '-q', join(folder, 'other')]);
    put('other/other.yaml', policy('six', 'get'));
    git('update-index', '--assume-unchanged', 'a.yaml');
    put('a.yaml', policy('one', 'post'));
    git('update-index', '--skip-worktree', 'b é.yaml');
    put('b é.yaml', policy('four', 'post'));
    expect(names((await lint('--changed-since HEAD')).out)).toEqual(['a:4', 'b é:4', 'ignored:4', 'other:4']);
  });

  test('reports changes of files that attributes of git call binary', async () => {
    put('.gitattributes', '*.yaml binary\n');
    put('a.yaml', policy('one', 'get'), policy('two', 'post'), policy('three', 'get'));
    expect(names((await lint('--changed-since HEAD')).out)).toEqual(['a:9']);
  });

  test('takes standard input for changed', async () => {
    expect((await meshpol('lint - --fail-on warning --changed-since HEAD', policy('a', 'get'))).code).toBe(1);
  });

  test.each(['nowhere', '--output=x'])('refuses the revision %s', async (revision) => {
    const { code, error } = await lint(`--changed-since=${revision}`);
    expect([code, error]).toEqual([2, expect.stringContaining(`git knows no revision "${revision}"`)]);
  });
});

test('--changed-since outside a repository ends with 3', async () => {
  put('a.yaml', policy('a', 'get'));
  const { code, error } = await lint('--changed-since HEAD');
  expect([code, error]).toEqual([3, expect.stringContaining('not a git repository')]);
});

test('--changed-since in a shallow clone says why it does not know a revision', async () => {
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: folder });
  mkdirSync(join(folder, 'origin'));
  put('origin/a.yaml', policy('a', 'get'));
  git('init', '--quiet', 'origin');
  git('-C', 'origin', 'add', '.');
  for (const message of ['one', 'two']) git('-C', 'origin', 'commit', '--quiet', '--allow-empty', '-m', message);
  git('clone', '--quiet', '--depth', '1', `file://${folder}/origin`, 'clone');
  const { code, error } = await meshpol(`lint ${folder}/clone --changed-since HEAD~1`);
  expect([code, error]).toEqual([2, expect.stringContaining('"HEAD~1": the clone is shallow')]);
});
