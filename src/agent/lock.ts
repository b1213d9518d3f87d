import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { isServed } from '../xds/socket.ts';
import { AgentError } from './agent-error.ts';

/** The folder is ours until released. */
export interface FolderLock {
  release(): Promise<void>;
}

const lockName = 'agent.lock';

/**
 * Takes the configuration folder (made with mode 0700), so that two agents never write one folder and, with
 * `reuse_port`, share ports unnoticed. The lock is a Unix socket that is listened on: it dies with its process. It is
 * made under another name and linked, because linking fails when the name exists, where binding over a removed file
 * would let two agents through.
 */
export async function takeFolderLock(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, lockName);
  // A process id is not enough: two containers that share the folder are both process 1.
  const own = `${path}.${randomBytes(4).toString('hex')}`;
  const server = await listen(own);
  const { ino } = await lstat(own);
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await tryLink(own, path)) return { release: () => release(server, path, ino) };
      if (await isServed(path)) break;
      await removeStale(path, `${own}.stale`);
    }
  } finally {
    await rm(own, { force: true });
  }
  server.close();
  throw new AgentError('already-running', `another agent uses the configuration folder "${folder}"`);
}

async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes a dead agent's lock away; when a living one has put its own there meanwhile, that one is given back. */
async function removeStale(path: string, aside: string): Promise<void> {
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (await isServed(aside)) await tryLink(aside, path);
  await rm(aside, { force: true });
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (cause) => {
      reject(new AgentError('already-running', `cannot make the lock "${path}"`, { cause }));
    });
    server.listen(path, () => resolve(server));
  });
}

async function release(server: Server, path: string, inode: number): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.ino === inode) await rm(path, { force: true });
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
