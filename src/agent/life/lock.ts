import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { delay } from '../../lib/abort.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { isServed, longestSocketPath } from '../../xds/socket.ts';
import { AgentError } from '../agent-error.ts';

/** The folder is ours until released. */
export interface FolderLock {
  release(): Promise<void>;
}

const prefix = 'agent.lock.';

/** How often, and how far apart, one looks again who comes at the same time as others. */
const looks = 10;
const lookEveryMs = 30;

/**
 * Locks the configuration folder (and creates it, for its user alone), so that two agents never write to one folder, or
 * share ports through `reuse_port`. Each agent listens on its own Unix socket there, which closes with its process, and
 * holds the lock when no other socket answers. Of two agents the later one always sees the earlier. With one shared name,
 * two agents could both remove a dead agent's socket and both take the lock. `randomDevice` gives the bytes of the name.
 */
export async function takeFolderLock(folder: string, randomDevice = '/dev/urandom'): Promise<FolderLock> {
  await makeFolder(folder).catch((cause) => {
    throw new AgentError('config-write-failed', `cannot make the configuration folder "${folder}"`, { cause });
  });
  const name = prefix + randomBytes(8, randomDevice).toString('hex');
  const path = join(folder, name);
  const room = longestSocketPath - Buffer.byteLength(`/${name}.new`);
  // Node would cut the path off and listen somewhere else.
  if (Buffer.byteLength(folder) > room) {
    throw new AgentError(
      'config-write-failed',
      `the path of the configuration folder "${folder}" is longer than ${room} bytes: Unix sockets lie in it`,
    );
  }
  const server = await listen(`${path}.new`);
  // Seen by others only now: a socket that is bound but not listened on yet would look dead.
  await rename(`${path}.new`, path);
  const release = async (): Promise<void> => {
    await rm(path, { force: true });
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  for (let look = 0; look < looks; look++) {
    const others = await livingOthers(folder, name);
    if (others.length === 0) return { release };
    // Of agents that come together, the one with the lowest name looks again until the others have gone.
    if (others.some((other) => other < name)) break;
    await delay(lookEveryMs);
  }
  await release();
  throw new AgentError('already-running', `another agent uses the configuration folder "${folder}"`);
}

/** The kernel's, without Node's module for cryptography, which takes a while to load. */
function randomBytes(count: number, device: string): Buffer {
  const bytes = Buffer.alloc(count);
  const read = readInto(bytes, device);
  if (read === count) return bytes;
  throw new AgentError(
    'config-write-failed',
    `the lock of the configuration folder needs a name of its own: ${device} gave ${read} bytes, expected ${count}`,
  );
}

/** How many bytes the device gave. */
function readInto(bytes: Buffer, device: string): number {
  try {
    const file = openSync(device, 'r');
    try {
      return readSync(file, bytes);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new AgentError(
      'config-write-failed',
      `the lock of the configuration folder needs a name of its own: cannot read random bytes from ${device}, which every Linux system has; mount /dev`,
      { cause },
    );
  }
}

/** Names of the sockets of living agents but `own`; those of dead ones are removed, as no name is ever used again. */
async function livingOthers(folder: string, own: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix) && name !== own);
  const living: string[] = [];
  for (const name of names.filter((found) => !found.endsWith('.new'))) {
    const path = join(folder, name);
    if (await isServed(path)) living.push(name);
    else await rm(path, { force: true });
  }
  return living;
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (cause) => {
      const folder = dirname(path);
      const user = process.getuid?.();
      reject(
        new AgentError('config-write-failed', `user ${user} cannot write to the configuration folder "${folder}"`, {
          cause,
        }),
      );
    });
    server.listen(path, () => resolve(server));
  });
}
