import { join } from 'node:path';
import { nearest } from '../lib/nearest.ts';
import { GitError } from './git-error.ts';
import type { Repository } from './open-repository.ts';
import { fullId } from './revision.ts';
import { lastWords, runGit } from './run-git.ts';

/** Where a name points now. */
export interface Point {
  /** Full name of the reference: no other one is meant by the user's name from now on. A commit's id stands for itself. */
  readonly name: string;
  /** Of a commit, or of a tag that leads to one. */
  readonly id: string;
  /** Files that differ when the name points elsewhere; some of them may be absent. */
  readonly files: readonly string[];
}

/**
 * Finds what a name of a revision stands for. A short name that several references have is refused: git would prefer a tag,
 * and whoever may make one would decide. Throws a `GitError`, for a reference that is not there too.
 */
export async function findPoint(repository: Repository, name: string): Promise<Point> {
  if (fullId.test(name)) return { name, id: name, files: [] };
  if (name === 'HEAD') return findHead(repository);
  const names = name.startsWith('refs/') ? [name] : ['heads', 'tags', 'remotes'].map((kind) => `refs/${kind}/${name}`);
  const [found, ...others] = await listReferences(repository, names);
  if (found === undefined) throw await notThere(repository, name);
  if (others.length > 0) {
    const all = [found, ...others].map((reference) => reference.name).join(', ');
    throw new GitError('revision-unknown', `"${name}" is short for ${all}: give one of them by its full name`);
  }
  return { name: found.name, id: found.id, files: filesOf(repository, [found.name, found.target]) };
}

async function findHead(repository: Repository): Promise<Point> {
  const symbolic = await call(repository, ['symbolic-ref', '--quiet', 'HEAD'], [0, 1]);
  const target = symbolic.trimEnd();
  if (target !== '') {
    const [found] = await listReferences(repository, [target]);
    if (found === undefined) throw new GitError('revision-unknown', `HEAD is "${target}", which has no commit yet`);
    return { name: 'HEAD', id: found.id, files: filesOf(repository, ['HEAD', target]) };
  }
  const id = await call(repository, ['rev-parse', '--verify', '--end-of-options', 'HEAD^{commit}'], [0]);
  return { name: 'HEAD', id: id.trimEnd(), files: filesOf(repository, ['HEAD']) };
}

interface Reference {
  readonly name: string;
  readonly id: string;
  /** Of a symbolic one; else empty. */
  readonly target: string;
}

/** References of exactly these names. */
async function listReferences(repository: Repository, names: readonly string[]): Promise<readonly Reference[]> {
  const format = '--format=%(refname) %(objectname) %(symref)';
  const listed = await call(repository, ['for-each-ref', format, ...names], [0]);
  const references = listed.split('\n').map((line) => line.split(' '));
  return references.flatMap(([name = '', id = '', target = '']) =>
    names.includes(name) ? [{ name, id, target }] : [],
  );
}

async function notThere(repository: Repository, name: string): Promise<GitError> {
  const what = name.startsWith('refs/') ? 'reference' : 'branch or tag';
  const format = name.startsWith('refs/') ? '%(refname)' : '%(refname:lstrip=2)';
  const listed = await call(repository, ['for-each-ref', '--count=1000', `--format=${format}`], [0]);
  const near = nearest(name, listed.split('\n'));
  const hint = near === undefined || near === '' ? '' : `; did you mean "${near}"?`;
  return new GitError('revision-unknown', `the repository "${repository.name}" has no ${what} "${name}"${hint}`);
}

/** Branches are files of their own or lines of `packed-refs`; with reftable, a list names the files of all. */
function filesOf({ gitFolder, commonFolder }: Repository, names: readonly string[]): readonly string[] {
  const own = names.filter((name) => name !== '').flatMap((name) => [join(commonFolder, name), join(gitFolder, name)]);
  return [...new Set([...own, join(commonFolder, 'packed-refs'), join(commonFolder, 'reftable/tables.list')])];
}

async function call(repository: Repository, args: readonly string[], expected: readonly number[]): Promise<string> {
  const { code, stdout, stderr } = await runGit(args, repository);
  if (code !== undefined && expected.includes(code)) return stdout;
  const reason = code === undefined ? `did not end within ${repository.longestMs} ms` : `failed: ${lastWords(stderr)}`;
  throw new GitError('git-failed', `git ${args[0]} in the repository "${repository.name}" ${reason}`);
}
