import { chmod, lstat, mkdir, readFile, realpath, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import { MountPoints } from '../watch/mount-points.ts';

/** Linux keeps 108 bytes for a Unix socket's path, the last of them zero (unix(7)). */
export const longestSocketPath = 107;

/** Why a Unix socket cannot be served at a path. */
export class SocketTakenError extends Error {
  override readonly name = 'SocketTakenError';
}

/** Where a Unix socket is bound so that nobody else reaches it, whatever its own mode is at first. */
export interface SocketPlace {
  /** Where to bind it. */
  readonly bindPath: string;
  /** Others may enter its folder, a volume that is not ours to close: the socket's own mode keeps them from it. */
  readonly isShared: boolean;
  /** Gives the bound socket mode 0600 and the path that it was asked for. */
  finish(): Promise<void>;
}

/**
 * Makes room for a Unix socket: its folder exists with mode 0700, also one that was there with a wider one, and a socket
 * that a dead process left is removed. The one folder of others that is taken is a mounted volume, such as an emptyDir of
 * Kubernetes, which belongs to root with mode 0777. Throws `SocketTakenError` when a living process serves the path, when
 * something else than a socket is there, or when the folder is not ours alone to have.
 */
export async function prepareSocketPath(path: string): Promise<SocketPlace> {
  const folder = dirname(path);
  checkLength(path);
  await makeFolder(folder);
  const isOurs = await narrowFolder(folder);
  const existing = await lstat(path).catch(absent);
  if (existing !== undefined) {
    if (!existing.isSocket()) throw new SocketTakenError(`"${path}" exists and is no socket`);
    if (await isServed(path)) throw new SocketTakenError(`another process serves "${path}"`);
    await unlink(path).catch(absent);
  }
  // Whoever can connect can read the workload's private key.
  if (isOurs) return { bindPath: path, isShared: false, finish: () => chmod(path, 0o600) };
  // The agent's next start would remove it by this name.
  const closed = `${path}.tmp`;
  await mkdir(closed, { mode: 0o700 });
  const bindPath = join(closed, 's');
  checkLength(bindPath);
  const finish = async (): Promise<void> => {
    await chmod(bindPath, 0o600);
    await rename(bindPath, path);
    await rmdir(closed);
  };
  return { bindPath, isShared: true, finish };
}

function checkLength(path: string): void {
  if (Buffer.byteLength(path) <= longestSocketPath) return;
  throw new SocketTakenError(`"${path}" is longer than the ${longestSocketPath} bytes of a Unix socket's path`);
}

/**
 * Gives a folder mode 0700, and says whether it is ours alone now: a mounted volume of others may stay theirs. Throws
 * `SocketTakenError` for any other folder of others, and for one that is meant for everybody (/tmp), who live by its mode.
 * `mountInfo` is the file that tells what is mounted (proc_pid_mountinfo(5)).
 */
export async function narrowFolder(folder: string, mountInfo = '/proc/self/mountinfo'): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o1000) !== 0)
    throw new SocketTakenError(`"${folder}" is a folder for everybody; a socket needs its own`);
  if ((mode & 0o7777) === 0o700) return true;
  try {
    await chmod(folder, 0o700);
    return true;
  } catch (cause) {
    if (await isMountPoint(folder, mountInfo)) return false;
    throw new SocketTakenError(`cannot keep others from the folder "${folder}"`, { cause });
  }
}

/** Not by the number of its file system: a volume may be of the one around it. */
async function isMountPoint(folder: string, mountInfo: string): Promise<boolean> {
  const mounts = new MountPoints(await readFile(mountInfo, 'utf8').catch(() => ''));
  return mounts.has(await realpath(folder));
}

/** Whether somebody accepts connections at the Unix socket `path`. */
export function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A full backlog belongs to a living process; only a refusal or an absent file says that nobody is there.
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
