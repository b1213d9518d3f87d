import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GitError } from '../git/git-error.ts';
import { lastWords, runGit } from '../git/run-git.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type ChangedLines, parseDiff } from '../lint/changed-lines.ts';
import { folderOf } from './input-folder.ts';

/** What changed since a revision, uncommitted and new files included. */
export interface GitChanges {
  /** Undefined for a file without a change, `all` for a new one and for one that git does not compare. */
  of(file: string): Promise<ChangedLines | 'all' | undefined>;
}

/** Asks git, in the repository of `input`. Throws a UsageError for a revision that is none, a GitError without a repository. */
export async function gitChanges(revision: string, input: string): Promise<GitChanges> {
  const { root, commit } = await findCommit(revision, input);
  const options = [
    '--text',
    '--unified=0',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--src-prefix=a/',
    '--dst-prefix=b/',
  ];
  const changed = parseDiff(await git(root, ['diff', ...options, commit, '--']));
  const compared = comparedIn(await git(root, ['ls-files', '-v', '-z']));
  const real = await realpath(root);
  return {
    of: async (file) => {
      if (file === '-') return 'all';
      const path = await realpath(resolve(file)).catch(() => resolve(file));
      if (!path.startsWith(`${real}/`)) return 'all';
      const name = path.slice(real.length + 1);
      return compared.has(name) ? changed.get(name) : 'all';
    },
  };
}

/** Top of the repository of `input`, and the id of the commit. Throws as `gitChanges` does. */
export async function findCommit(
  revision: string,
  input: string,
): Promise<{ readonly root: string; readonly commit: string }> {
  const root = (await git(await folderOf(input), ['rev-parse', '--show-toplevel'])).trimEnd();
  const verify = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const { code, stdout } = await run(root, verify);
  if (code !== 0) {
    const { stdout: isShallow } = await run(root, ['rev-parse', '--is-shallow-repository']);
    const why = isShallow.trim() === 'true' ? ': the clone is shallow, fetch more of its history' : '';
    throw new UsageError(`--changed-since: git knows no revision "${revision}"${why}`);
  }
  return { root, commit: stdout.trim() };
}

/**
 * The files whose changes `git diff` tells, of what `git ls-files -v -z` prints: those of the index, but for the ones that
 * it takes for unchanged unseen or that are in conflict. It tells nothing of files that are new or ignored, nor of those
 * in another repository below this one.
 */
function comparedIn(listed: string): ReadonlySet<string> {
  const entries = listed.split('\0').filter((entry) => entry.startsWith('H '));
  return new Set(entries.map((entry) => entry.slice('H '.length)));
}

/** What git prints. It reads the user's settings: of a hook it has the index that is to be committed. */
async function git(folder: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(folder, args);
  if (code === 0) return stdout;
  const text = `--changed-since: git ${args[0]} failed in "${folder}": ${lastWords(stderr)}`;
  throw new GitError('git-failed', text);
}

function run(folder: string, args: readonly string[]): ReturnType<typeof runGit> {
  return runGit(['-c', 'core.quotePath=false', ...args], { folder, environment: process.env });
}
