import { WorldFailure } from '../lib/failure.ts';

export type GitErrorCode =
  /** There is no program `git`, or none that can do what is needed. */
  | 'git-missing'
  /** A folder is no repository, or none that may be read. */
  | 'repository-unusable'
  /** A name stands for no commit, or for more than one thing. */
  | 'revision-unknown'
  /** A call of git, or what it is asked for, went wrong. */
  | 'git-failed';

/** Git, or a repository, cannot be used; the message names the folder or the revision. */
export class GitError extends WorldFailure<GitErrorCode> {}
