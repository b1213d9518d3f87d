import { chmod, lstat, mkdir, stat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';

/** Linux keeps 108 bytes for a Unix socket's path, the last of them zero (unix(7)). */
export const longestSocketPath = 107;

/** Why a Unix socket cannot be served at a path. */
export class SocketTakenError extends Error {
  override readonly name = 'SocketTakenError';
}

/**
 * Makes room for a Unix socket: its folder exists with mode 0700, also one that was there with a wider one, and a socket
 * that a dead process left is removed. Nobody else reaches a socket that is bound there afterwards, whatever its own mode
 * is at first. Throws `SocketTakenError` when a living process serves the path, when something else than a socket is
 * there, or when the folder is not ours alone to have.
 */
export async function prepareSocketPath(path: string): Promise<void> {
  if (Buffer.byteLength(path) > longestSocketPath) {
    throw new SocketTakenError(`"${path}" is longer than the ${longestSocketPath} bytes of a Unix socket's path`);
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await narrowFolder(dirname(path));
  const existing = await lstat(path).catch(absent);
  if (existing === undefined) return;
  if (!existing.isSocket()) throw new SocketTakenError(`"${path}" exists and is no socket`);
  if (await isServed(path)) throw new SocketTakenError(`another process serves "${path}"`);
  await unlink(path).catch(absent);
}

/** A folder that is meant for everybody (/tmp) stays as it is: others live by its mode. */
async function narrowFolder(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o1000) !== 0)
    throw new SocketTakenError(`"${folder}" is a folder for everybody; a socket needs its own`);
  if ((mode & 0o7777) === 0o700) return;
  try {
    await chmod(folder, 0o700);
  } catch (cause) {
    throw new SocketTakenError(`cannot keep others from the folder "${folder}"`, { cause });
  }
}

/** Only the user of this process may connect: whoever can read the socket can read the workload's private key. */
export async function restrictSocket(path: string): Promise<void> {
  await chmod(path, 0o600);
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
