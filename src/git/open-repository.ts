import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GitError } from './git-error.ts';
import { type GitOutcome, type GitPlace, lastWords, runGit } from './run-git.ts';
import { sealedEnvironment } from './sealed-environment.ts';

/** A repository that may be read. */
export interface Repository extends GitPlace {
  /** As the user named it. */
  readonly name: string;
  /** Where its own HEAD is; of a worktree, another folder than `commonFolder`, where branches are. */
  readonly gitFolder: string;
  readonly commonFolder: string;
}

/** The first version that can be told to read no settings but the repository's. */
const firstVersion = [2, 32] as const;

/** A file system that hangs must not hold up its user for ever. */
export const longestCallMs = 30_000;

/**
 * Opens the repository of a folder, which is a worktree's top, a bare repository or a `.git`. Of the user's settings,
 * `safe.directory` alone counts. Throws a `GitError` that says what to do.
 */
export async function openRepository(name: string, environment = process.env): Promise<Repository> {
  const folder = await realpath(name).catch((cause: unknown) => {
    throw new GitError('repository-unusable', `cannot open the repository "${name}"`, { cause });
  });
  const sealed = { ...sealedEnvironment(environment, []), GIT_CEILING_DIRECTORIES: dirname(folder) };
  let place: GitPlace = { folder, environment: sealed };
  // An older one would take some of the words below for others.
  await checkVersion(place);
  let outcome = await locate(place);
  if (isForeign(outcome)) {
    const safe = await safeFolders({ folder: '/', environment });
    place = { folder, environment: { ...sealed, ...sealedEnvironment(environment, safe) } };
    outcome = await locate(place);
  }
  const [gitFolder, commonFolder] = outcome.stdout.split('\n');
  if (outcome.code === 0 && gitFolder && commonFolder) return { ...place, name, gitFolder, commonFolder };
  throw new GitError('repository-unusable', await reasonOf(name, outcome, place));
}

function locate(place: GitPlace): Promise<GitOutcome> {
  return runGit(['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir'], place, longestCallMs);
}

function isForeign({ stderr }: GitOutcome): boolean {
  return /dubious ownership|unsafe repository/.test(stderr);
}

/** Folders whose owner the user, or the machine, calls safe. */
async function safeFolders({ folder, environment }: GitPlace): Promise<readonly string[]> {
  const own = Object.entries(environment).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|CONFIG(?:_.*)?)$/.test(name));
  const place = { folder, environment: Object.fromEntries(own) };
  const lists = await Promise.all(
    ['--system', '--global'].map((where) =>
      runGit(['config', where, '--includes', '--get-all', 'safe.directory'], place, longestCallMs),
    ),
  );
  return lists.flatMap(({ stdout }) => stdout.split('\n').slice(0, -1));
}

async function checkVersion(place: GitPlace): Promise<void> {
  const { stdout } = await runGit(['--version'], place, longestCallMs);
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? [];
  if (major > firstVersion[0] || (major === firstVersion[0] && minor >= firstVersion[1])) return;
  const text = `"${stdout.trim()}" is too old: git ${firstVersion.join('.')} or later is needed`;
  throw new GitError('git-missing', text);
}

async function reasonOf(name: string, outcome: GitOutcome, { folder, environment }: GitPlace): Promise<string> {
  if (outcome.code === undefined) return `git did not answer about the repository "${name}" within ${longestCallMs} ms`;
  if (isForeign(outcome)) {
    return (
      `the repository "${name}" belongs to another user, whom git does not trust: run as that user, or allow it with ` +
      `"git config --global --add safe.directory ${folder}"`
    );
  }
  if (!outcome.stderr.includes('not a git repository')) return `the repository "${name}": ${lastWords(outcome.stderr)}`;
  const above = await runGit(
    ['rev-parse', '--show-toplevel', '--show-prefix'],
    { folder, environment: { ...environment, GIT_CEILING_DIRECTORIES: '' } },
    longestCallMs,
  );
  const [top, prefix] = above.stdout.split('\n');
  if (above.code !== 0 || !top || !prefix) return `"${name}" is no git repository`;
  return `"${name}" is a folder of the repository "${top}": name that one, and the folder after the revision: REVISION:${prefix.replace(/\/$/, '')}`;
}
