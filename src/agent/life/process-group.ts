import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process, and the user in whose name it opens files and sockets. */
export interface GroupMember {
  readonly pid: number;
  readonly uid: number;
}

/** The processes of the group that `leader` leads, those that it has started included: Envoy may run under a script. */
export async function groupOf(leader: number): Promise<readonly GroupMember[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const members = await Promise.all(pids.map((pid) => memberOf(Number(pid), leader)));
  return members.filter((member) => member !== undefined);
}

async function memberOf(pid: number, leader: number): Promise<GroupMember | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // Behind the name in parentheses: state, parent, group (proc(5)).
    const [, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(group) !== leader) return undefined;
    // Real, effective, saved, and that of the file system, which sockets get.
    const [, uid] = /^Uid:\t\d+\t\d+\t\d+\t(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'latin1')) ?? [];
    return { pid, uid: Number(uid) };
  } catch (error) {
    if (hasEnded(error)) return undefined;
    throw error;
  }
}

/** Descriptors that are looked at in one go: a busy Envoy has tens of thousands. */
const atOnce = 256;

/**
 * Whether a process has a socket open, named as its descriptors read: `socket:[4711]`. Throws where this process may not
 * look into that one.
 */
export async function holdsSocket(pid: number, name: string): Promise<boolean> {
  try {
    const files = await readdir(`/proc/${pid}/fd`);
    for (let i = 0; i < files.length; i += atOnce) {
      const part = files.slice(i, i + atOnce);
      // One that was closed meanwhile is none of a socket that is open.
      const names = await Promise.all(part.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
      if (names.includes(name)) return true;
    }
    return false;
  } catch (error) {
    if (hasEnded(error)) return false;
    throw error;
  }
}

function hasEnded(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');
}
