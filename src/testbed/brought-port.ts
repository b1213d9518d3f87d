import { chmod, readFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { relay } from './port-relay.ts';
import { repository, type Sandbox, scratch } from './sandbox.ts';
import { node } from './sidecar.ts';
import { until } from './until.ts';

/**
 * Brings a port of this machine's loopback into a network namespace of the sandbox: there the same port of loopback leads to
 * it, by a Unix socket between the two. Ends with the sandbox, and the server that is given back with `close`.
 */
export async function bringPort(sandbox: Sandbox, network: string, port: number): Promise<Server> {
  const name = `port-${port}.sock`;
  const path = join(sandbox.folder, name);
  const server = await relay({ path }, { port });
  await chmod(path, 0o666);
  const output = join(sandbox.folder, `${network}-port-${port}.log`);
  const argv = [node, `${repository}/src/testbed/port-relay.ts`, String(port), join(scratch, name)];
  await sandbox.start(argv, output, { network });
  const listens = async (): Promise<true | undefined> =>
    (await readFile(output, 'utf8')).includes('listening') ? true : undefined;
  await until(listens, { timeoutMs: 90_000, otherwise: async () => `no relay: ${await readFile(output, 'utf8')}` });
  return server;
}
