import { once } from 'node:events';
import { createServer } from 'node:net';
import { delay } from '../lib/abort.ts';
import { RedirectError } from './redirect-error.ts';

/** An abstract Unix socket (unix(7)): it belongs to the network namespace, and ends with the process that bound it. */
const name = '\0mesh-redirect';

const retryMs = 50;

/**
 * Runs `action` while no other redirection command changes this network namespace. Throws a RedirectError when another
 * one is still at work after `waitSeconds`.
 */
export async function withLock<T>(waitSeconds: number, action: () => Promise<T>, stop?: AbortSignal): Promise<T> {
  const server = createServer();
  for (let waitedMs = 0; !(await isBound(server)); waitedMs += retryMs) {
    if (stop?.aborted) throw new RedirectError('redirect-interrupted', 'stopped before anything was changed');
    if (waitedMs >= waitSeconds * 1000) {
      const message = `another redirection command has been at work in this network namespace for ${waitSeconds} s`;
      throw new RedirectError('iptables-locked', message);
    }
    await delay(retryMs, stop);
  }
  try {
    return await action();
  } finally {
    await new Promise((done) => server.close(done));
  }
}

async function isBound(server: ReturnType<typeof createServer>): Promise<boolean> {
  server.listen({ path: name });
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
