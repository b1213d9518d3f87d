import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what Linux gives to connections, so that no client takes a port between the choice and its use. */
const lowest = 20_000;
const count = 12_000;

/** Each process, and each thread that tests run in, goes up from a place of its own and comes back to none soon. */
let chosen = Math.floor(Math.random() * count);

/** Different ports of 127.0.0.1 that nobody listens on, none of which another test is given soon. */
export async function freePorts(wanted: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < wanted) {
    chosen = (chosen + 1) % count;
    if (await isFree(lowest + chosen)) ports.push(lowest + chosen);
  }
  return ports;
}

/** One such port. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
