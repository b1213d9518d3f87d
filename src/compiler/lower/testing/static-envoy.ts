import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findEnvoy, spawnEnvoy } from '../../../envoy/process.ts';
import { delay } from '../../../lib/abort.ts';

/** A real Envoy whose listeners and clusters never change. */
export interface StaticEnvoy {
  /** Returns once `isThere` says so; throws when Envoy has ended before. */
  until(isThere: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

const binary = findEnvoy({ env: process.env, repositoryRoot: join(import.meta.dirname, '../../../..') });

/** Starts Envoy in `folder`, with a bootstrap of these `static_resources` and with further flags; does not wait for it. */
export async function startStaticEnvoy(
  folder: string,
  resources: object,
  flags: readonly string[] = [],
): Promise<StaticEnvoy> {
  const bootstrap = { node: { id: 'test', cluster: 'test' }, static_resources: resources };
  await writeFile(join(folder, 'envoy.json'), JSON.stringify(bootstrap));
  const args = ['-c', 'envoy.json', ...flags, '--disable-hot-restart', '--concurrency', '1', '-l', 'error'];
  const envoy = await spawnEnvoy({ binary, args, output: 'inherit', cwd: folder });
  let hasExited = false;
  void envoy.exited.then(() => {
    hasExited = true;
  });
  return {
    until: async (isThere) => {
      while (!(await isThere())) {
        if (hasExited) throw new Error('Envoy has ended');
        await delay(20);
      }
    },
    close: async () => {
      envoy.signal('SIGKILL');
      await envoy.exited;
    },
  };
}

/** Whether somebody listens on a socket's path or on a port. */
export async function isListening(
  target: { readonly path: string } | { readonly host: string; readonly port: number },
) {
  const socket = connect(target);
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}

/** Whether a request is answered. */
export function isAnswered(request: Promise<unknown>): Promise<boolean> {
  return request.then(
    () => true,
    () => false,
  );
}
