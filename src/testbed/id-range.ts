import { type ChildProcess, execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { until } from './until.ts';

const run = promisify(execFile);

/** First id and count of a range that `newuidmap` lets this user map. */
interface IdRange {
  readonly first: number;
  readonly count: number;
}

/**
 * Maps this user to 0 and its range of subordinate ids to 1 and up in the user namespace of `keeper`, then lets it go
 * on. The owner rules of the redirection need a range: with one id alone the kernel refuses them.
 */
export async function mapIds(keeper: ChildProcess): Promise<void> {
  const { uid, gid, username } = userInfo();
  const users = findRange(await readFile('/etc/subuid', 'utf8').catch(() => ''), username, uid);
  const groups = findRange(await readFile('/etc/subgid', 'utf8').catch(() => ''), username, uid);
  if (users === undefined || groups === undefined) {
    if (uid === 0) return mapAsRoot(keeper);
    throw new Error(`the testbed needs root, or ranges of 2000 ids for ${username} in /etc/subuid and /etc/subgid`);
  }
  await untilOwnNamespace(keeper.pid ?? 0);
  await run('newuidmap', mapping(keeper.pid, uid, users));
  await run('newgidmap', mapping(keeper.pid, gid, groups));
  keeper.stdin?.write('go\n');
}

/** Root may map any ids, without `newuidmap`; these are nobody's. */
async function mapAsRoot(keeper: ChildProcess): Promise<void> {
  await untilOwnNamespace(keeper.pid ?? 0);
  for (const kind of ['uid', 'gid']) await writeFile(`/proc/${keeper.pid}/${kind}_map`, '0 0 1\n1 1000000 65534\n');
  keeper.stdin?.write('go\n');
}

/** The first range for this user that holds every id of the testbed (the proxy's is 1337). */
export function findRange(text: string, username: string, uid: number): IdRange | undefined {
  for (const line of text.split('\n')) {
    const [owner, first, count] = line.split(':');
    if ((owner === username || owner === String(uid)) && Number(count) >= 2000) {
      return { first: Number(first), count: Number(count) };
    }
  }
  return undefined;
}

function mapping(pid: number | undefined, own: number, { first, count }: IdRange): string[] {
  return [pid, 0, own, 1, 1, first, Math.min(count, 65_534)].map(String);
}

/** `unshare` makes the namespace, with an empty map, a moment after it was started. */
async function untilOwnNamespace(pid: number): Promise<void> {
  const isEmpty = async (): Promise<true | undefined> =>
    (await readFile(`/proc/${pid}/uid_map`, 'utf8')).trim() === '' ? true : undefined;
  await until(isEmpty, { timeoutMs: 60_000, everyMs: 5, otherwise: async () => 'no user namespace could be made' });
}
