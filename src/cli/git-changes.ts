import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { WorldFailure } from '../lib/failure.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type ChangedLines, parseDiff } from '../lint/changed-lines.ts';
import { folderOf } from './input-folder.ts';

/** What changed since a revision, uncommitted and new files included. */
export interface GitChanges {
  /** Undefined for a file without a change, `all` for a new one and for one that git does not compare. */
  of(file: string): Promise<ChangedLines | 'all' | undefined>;
}

/** Asks git, in the repository of `input`. Throws a UsageError for a revision that is none, a WorldFailure without a repository. */
export async function gitChanges(revision: string, input: string): Promise<GitChanges> {
  const root = (await git(await folderOf(input), ['rev-parse', '--show-toplevel'])).trimEnd();
  const found = await tryGit(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  if (found === undefined) throw new UsageError(`--changed-since: git knows no revision "${revision}"`);
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
  const changed = parseDiff(await git(root, ['diff', ...options, found.trim(), '--']));
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

/**
 * The files whose changes `git diff` tells, of what `git ls-files -v -z` prints: those of the index, but for the ones that
 * it takes for unchanged unseen or that are in conflict. It tells nothing of files that are new or ignored, nor of those
 * in another repository below this one.
 */
function comparedIn(listed: string): ReadonlySet<string> {
  const entries = listed.split('\0').filter((entry) => entry.startsWith('H '));
  return new Set(entries.map((entry) => entry.slice('H '.length)));
}

async function git(folder: string, args: readonly string[]): Promise<string> {
  const out = await tryGit(folder, args);
  if (out !== undefined) return out;
  throw new WorldFailure('git-failed', `--changed-since: git ${args[0]} failed in "${folder}": is it in a repository?`);
}

/** What git prints; undefined when it fails. */
async function tryGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  const result = await execa('git', ['-c', 'core.quotePath=false', ...args], {
    ...{ cwd: folder, stdin: 'ignore', reject: false, stripFinalNewline: false },
    env: { LC_ALL: 'C' },
  });
  return result.exitCode === 0 ? result.stdout : undefined;
}
