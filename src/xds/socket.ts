import { chmod, lstat, mkdir, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';

/** Linux keeps 108 bytes for a Unix socket's path, the last of them zero (unix(7)). */
export const longestSocketPath = 107;

/** Why a Unix socket cannot be served at a path. */
export class SocketTakenError extends Error {
  override readonly name = 'SocketTakenError';
}

/**
 * Makes room for a Unix socket: its folder exists with mode 0700, and a socket that a dead process left is removed.
 * Throws `SocketTakenError` when a living process serves the path, or when something else than a socket is there.
 */
export async function prepareSocketPath(path: string): Promise<void> {
  if (Buffer.byteLength(path) > longestSocketPath) {
    throw new SocketTakenError(`"${path}" is longer than the ${longestSocketPath} bytes of a Unix socket's path`);
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const existing = await lstat(path).catch(absent);
  if (existing === undefined) return;
  if (!existing.isSocket()) throw new SocketTakenError(`"${path}" exists and is no socket`);
  if (await isServed(path)) throw new SocketTakenError(`another process serves "${path}"`);
  await unlink(path).catch(absent);
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
