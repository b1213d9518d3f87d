import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createLog } from '../src/agent/log/log.ts';
import { missingVersions } from '../src/agent/reload/in-force.ts';
import { startIdentityService } from '../src/agent/secrets/identity-service.ts';
import { createAdminClient } from '../src/envoy/admin.ts';
import { readConfigState } from '../src/envoy/testing/config-state.ts';
import { AgentFolder, configPath } from './agent-folder.ts';
import { line, median, ms, ratio } from './measure.ts';
import { nodes } from './nodes.ts';
import { Program } from './program.ts';

const runs = 11;
const lookEveryMs = 5;

/** Times of one start, in milliseconds. */
interface Start {
  readonly spawned: number;
  readonly ready: number;
  /** Of Envoy, as the agent started it. */
  readonly command: readonly string[];
}

/** From `pilot-agent proxy` to Envoy spawned and to ready, beside a bare node and a bare Envoy with the same files. */
export async function agentStarting(): Promise<void> {
  for (const services of [0, 100]) {
    const folder = await AgentFolder.create(services);
    try {
      for (const { name, path } of nodes) await compare(folder, path, `${name}, ${services} services beside`);
    } finally {
      await folder.remove();
    }
  }
}

/** Each in turn, so that a slow moment of the machine meets all three. */
async function compare(folder: AgentFolder, node: string, label: string): Promise<void> {
  const bare: number[] = [];
  const agent: Start[] = [];
  const envoy: number[] = [];
  const { command } = await startAgent(folder, node);
  for (let i = 0; i < runs; i += 1) {
    bare.push(await startBareNode(node));
    agent.push(await startAgent(folder, node));
    envoy.push(await startBareEnvoy(folder, command));
  }
  const [first, envoyReady] = [median(bare), median(envoy)];
  const spawned = median(agent.map((start) => start.spawned));
  const ready = median(agent.map((start) => start.ready));
  line(label, `-e 0: ${ms(first)}`, `spawned: ${ms(spawned)}, ${ratio(spawned / first)}`);
  const target = 1.3 * envoyReady + 200;
  line('', `bare Envoy ready: ${ms(envoyReady)}`, `ready: ${ms(ready)}, ${ratio(ready / target)} of 1.3 x + 200 ms`);
}

async function startBareNode(node: string): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(node, ['-e', '0'], { stdio: 'ignore' }), 'close');
  return performance.now() - startedAt;
}

async function startAgent(folder: AgentFolder, node: string): Promise<Start> {
  const agent = folder.start({ node });
  const spawned = await agent.seen('Envoy started');
  await untilReady();
  const ready = agent.age;
  const [, pid] = /Envoy started\tpid=(\d+)/.exec(agent.output) ?? [];
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  await agent.end();
  return { spawned, ready, command };
}

/** The status port's own word. */
async function untilReady(): Promise<void> {
  const ask = (): Promise<boolean> =>
    fetch('http://127.0.0.1:15020/healthz/ready', { headers: { connection: 'close' } }).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await ask())) await delay(lookEveryMs);
}

/** By the agent's command line, its secrets served by this process, until all versions are in force. */
async function startBareEnvoy(folder: AgentFolder, command: readonly string[]): Promise<number> {
  const identity = await startIdentityService({
    configPath: join(folder.path, configPath),
    identityFolder: join(folder.path, 'certs'),
    log: createLog({ isJson: false, level: 'error', write: () => {} }),
  });
  const versionIn = async (name: string): Promise<string> => JSON.parse(await folder.readConfig(name)).version_info;
  const expected = { clusters: await versionIn('clusters.json'), listeners: await versionIn('listeners.json') };
  const admin = createAdminClient({ port: 15_000 });
  const envoy = new Program(command, { folder: folder.path });
  const missing = (): Promise<readonly string[]> =>
    readConfigState(admin).then(
      (state) => missingVersions(expected, state),
      (error: Error) => [error.message],
    );
  while ((await missing()).length > 0) await delay(lookEveryMs);
  const { age } = envoy;
  await envoy.end();
  await identity.close();
  return age;
}
