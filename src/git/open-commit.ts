import { GitError } from './git-error.ts';
import type { ObjectReader } from './object-reader.ts';

/** A commit, as far as its files are concerned. */
export interface Commit {
  readonly id: string;
  readonly tree: string;
  /** When it was made, in milliseconds of Unix time, by the clock of who made it. */
  readonly committedAtMs: number;
}

const mostBytes = 1 << 24;

/** The commit that an id leads to, of a commit or of a tag. Throws a `GitError`. */
export async function openCommit(id: string, reader: Pick<ObjectReader, 'read'>): Promise<Commit> {
  const object = await reader.read(`${id}^{commit}`, mostBytes);
  // Everything behind the first empty line is the message.
  const [head = ''] = object?.bytes?.toString('latin1').split('\n\n') ?? [];
  const [, tree] = /^tree ([0-9a-f]+)$/m.exec(head) ?? [];
  const [, seconds] = /^committer .* (\d+) [-+]\d{4}$/m.exec(head) ?? [];
  if (object === undefined || tree === undefined) {
    throw new GitError('revision-unknown', `${id} is no commit, and no tag of one, that the repository has`);
  }
  return { id: object.id, tree, committedAtMs: Number(seconds ?? 0) * 1_000 };
}
