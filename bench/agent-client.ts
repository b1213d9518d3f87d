import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { AgentFolder } from './agent-folder.ts';
import { restKinds } from './client-at-rest.ts';
import { runOnce, startClient, withClientFolder } from './client-folder.ts';
import { line, median, ms, ratio } from './measure.ts';
import { inOwnNetwork } from './network.ts';
import { nodes } from './nodes.ts';

const runs = 11;

/** `pilot-agent proxy` as a client of `meshd serve --config`: its start with a cache, and its memory at rest (24). */
export async function agentClient(): Promise<void> {
  const amounts = [0, 1_000];
  for (const services of amounts) {
    await withClientFolder(services, async (folder) => {
      await runOnce(folder);
      for (const { name, path } of nodes) await starting(folder, path, `${name}, ${services} services`);
    });
  }
  // Two minutes each: all at once, as they only wait.
  await Promise.all(amounts.flatMap((services) => restKinds.map((kind) => resting(services, kind))));
}

/** In a network of its own: agents have the same ports. */
async function resting(services: number, kind: string): Promise<void> {
  const program = [process.execPath, 'bench/client-at-rest.ts', String(services), kind];
  const [file, ...args] = inOwnNetwork(program);
  const [code] = await once(spawn(file, args, { stdio: 'inherit' }), 'close');
  if (code !== 0) process.exitCode = 70;
}

/** Each in turn, so that a slow moment of the machine meets both. */
async function starting(folder: AgentFolder, node: string, label: string): Promise<void> {
  const [bare, spawned, inForce]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < runs; i += 1) {
    const began = performance.now();
    await once(spawn(node, ['-e', '0'], { stdio: 'ignore' }), 'close');
    bare.push(performance.now() - began);
    const agent = startClient(folder, { node });
    spawned.push(await agent.seen('Envoy started'));
    inForce.push(await agent.seen('configuration in force'));
    await agent.end();
  }
  const first = median(bare);
  line(
    `client of meshd, ${label}, with its cache`,
    `-e 0: ${ms(first)}`,
    `spawned: ${ms(median(spawned))}, ${ratio(median(spawned) / first)}`,
    `in force: ${ms(median(inForce))}`,
  );
}
