import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { GitError } from './git-error.ts';

export interface GitPlace {
  /** The folder that git is started in, which exists. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** A call that takes longer is killed; absent: none is. */
  readonly longestMs?: number;
}

export interface GitOutcome {
  /** Undefined: a signal ended it, for one that it took too long. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `git` with these arguments; it says why it fails in English. */
export function startGit(args: readonly string[], { folder, environment }: GitPlace): ChildProcessWithoutNullStreams {
  return spawn('git', args, { cwd: folder, env: { ...environment, LC_ALL: 'C' }, stdio: 'pipe' });
}

/** Runs `git` until it ends. Throws a `GitError` where there is no such program. */
export async function runGit(args: readonly string[], place: GitPlace): Promise<GitOutcome> {
  const { longestMs } = place;
  const child = startGit(args, place);
  child.stdin.end();
  const timer = longestMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), longestMs);
  const out: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => out.push(part));
  child.stderr.on('data', (part: Buffer) => said.push(part));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? undefined, stdout: textOf(out), stderr: textOf(said) };
  } catch (error) {
    throw notStarted(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The error of a program that could not be started. */
export function notStarted(cause: unknown): GitError {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
  const text = isMissing ? 'there is no program "git" on the PATH: install git' : 'git cannot be started';
  return new GitError('git-missing', text, isMissing ? {} : { cause });
}

/** What git says last is why it ends. */
export function lastWords(stderr: string): string {
  const lines = stderr.trimEnd().split('\n');
  return (lines.findLast((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? '').replace(/^\w+: /, '');
}

function textOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString('utf8');
}
