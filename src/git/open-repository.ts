import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GitError } from './git-error.ts';
import { type GitOutcome, type GitPlace, lastWords, runGit } from './run-git.ts';
import { sealedEnvironment } from './sealed-environment.ts';

/** A repository that may be read. */
export interface Repository extends Required<GitPlace> {
  /** As the user named it. */
  readonly name: string;
  /** Where its own HEAD is; of a worktree, another folder than `commonFolder`, where branches are. */
  readonly gitFolder: string;
  readonly commonFolder: string;
}

/** The first version that can be told to read no settings but the repository's. */
const firstVersion = [2, 32] as const;

/** A file system that hangs must not hold up its user for ever. */
const usualLongestMs = 30_000;

/**
 * Opens the repository of a folder, which is a worktree's top, a bare repository or a `.git`. Of the user's settings,
 * `safe.directory` alone counts. Throws a `GitError` that says what to do.
 */
export async function openRepository(
  name: string,
  environment = process.env,
  longestMs = usualLongestMs,
): Promise<Repository> {
  const folder = await realpath(name).catch((cause: unknown) => {
    throw new GitError('repository-unusable', `cannot open the repository "${name}"`, { cause });
  });
  const sealed = { ...sealedEnvironment(environment, []), GIT_CEILING_DIRECTORIES: dirname(folder) };
  let place = { folder, environment: sealed, longestMs };
  // An older one would take some of the words below for others.
  await checkVersion(place);
  let outcome = await locate(place);
  if (isForeign(outcome)) {
    const safe = await safeFolders({ folder: '/', environment, longestMs });
    place = { ...place, environment: { ...sealed, ...sealedEnvironment(environment, safe) } };
    outcome = await locate(place);
  }
  const [gitFolder, commonFolder] = outcome.stdout.split('\n');
  if (outcome.code === 0 && gitFolder && commonFolder) return { ...place, name, gitFolder, commonFolder };
  throw new GitError('repository-unusable', await reasonOf(name, outcome, place));
}

function locate(place: GitPlace): Promise<GitOutcome> {
  return runGit(['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir'], place);
}

function isForeign({ stderr }: GitOutcome): boolean {
  return /dubious ownership|unsafe repository/.test(stderr);
}

/** Folders whose owner the user, or the machine, calls safe. */
async function safeFolders({ environment, ...rest }: GitPlace): Promise<readonly string[]> {
  const own = Object.entries(environment).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|CONFIG(?:_.*)?)$/.test(name));
  const place = { ...rest, environment: Object.fromEntries(own) };
  const lists = await Promise.all(
    ['--system', '--global'].map((where) =>
      runGit(['config', where, '--includes', '--get-all', 'safe.directory'], place),
    ),
  );
  return lists.flatMap(({ stdout }) => stdout.split('\n').slice(0, -1));
}

async function checkVersion(place: GitPlace): Promise<void> {
  const { code, stdout } = await runGit(['--version'], place);
  if (code === undefined) throw new GitError('git-failed', `git --version says nothing within ${place.longestMs} ms`);
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? [];
  if (major > firstVersion[0] || (major === firstVersion[0] && minor >= firstVersion[1])) return;
  const text = `"${stdout.trim()}" is too old: git ${firstVersion.join('.')} or later is needed`;
  throw new GitError('git-missing', text);
}

async function reasonOf(name: string, outcome: GitOutcome, place: GitPlace & { longestMs: number }): Promise<string> {
  const { folder, environment, longestMs } = place;
  if (outcome.code === undefined) return `git says nothing of the repository "${name}" within ${longestMs} ms`;
  if (isForeign(outcome)) {
    return (
      `the repository "${name}" belongs to another user, whom git does not trust: run as that user, or allow it with ` +
      `"git config --global --add safe.directory ${folder}"`
    );
  }
  if (!outcome.stderr.includes('not a git repository')) return `the repository "${name}": ${lastWords(outcome.stderr)}`;
  const above = await runGit(['rev-parse', '--show-toplevel', '--show-prefix'], {
    ...place,
    environment: { ...environment, GIT_CEILING_DIRECTORIES: '' },
  });
  const [top, prefix] = above.stdout.split('\n');
  if (above.code !== 0 || !top || !prefix) return `"${name}" is no git repository`;
  return `"${name}" is a folder of the repository "${top}": name that one, and the folder after the revision: REVISION:${prefix.replace(/\/$/, '')}`;
}
