import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { LifeObserver } from '../life/observer.ts';
import { type AgentBench, type BenchOptions, startBench } from './agent-bench.ts';

/** Gives what starts an agent for a test; agents end, and their folders go, with the test. */
export function startingAgents(): (options?: BenchOptions) => Promise<AgentBench> {
  const open: AgentBench[] = [];
  afterEach(async () => {
    for (const bench of open.splice(0)) await bench.close();
  });
  return async (options = {}) => {
    const bench = await startBench(options);
    open.push(bench);
    return bench;
  };
}

/** Milliseconds until the promise is settled. */
export async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work.catch(() => undefined);
  return performance.now() - startedAt;
}

/** A connection of a client that says nothing. */
export async function idleConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  // The kernel connects before Envoy accepts: only an answer shows that Envoy counts the connection.
  socket.write('GET / HTTP/1.1\r\nhost: nobody\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

/** Status of a POST on a connection of its own; 0 when there is no answer. */
export function httpPost(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path, method: 'POST', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on('error', () => resolve(0));
    call.end();
  });
}

/** An observer that hears what the test asks about. */
export function lifeObserver(parts: Partial<LifeObserver>): LifeObserver {
  return { moved: () => {}, envoyRestarted: () => {}, drained: () => {}, ...parts };
}
