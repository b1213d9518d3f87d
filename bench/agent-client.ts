import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceMesh } from '../src/cli/agent/testing/sample-mesh.ts';
import { AgentFolder, type AgentStart } from './agent-folder.ts';
import { signedFor } from './client-identities.ts';
import { line, median, ms, ratio } from './measure.ts';
import { generateMesh } from './mesh.ts';
import { Meshd } from './meshd-folder.ts';
import { nodes } from './nodes.ts';
import { cpuPercent, residentMib } from './process-cost.ts';
import type { Program } from './program.ts';

const runs = 11;
const restSeconds = 20;
/** V8 tidies up once when little happens, at the latest 100 s after its last collection: that is work of the start. */
const settleSeconds = 110;
/** Of `deploy/Containerfile`: what is freed goes back to the system. */
const ofImage = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_TRIM_THRESHOLD_: '65536' };

/** `pilot-agent proxy` as a client of `meshd serve --config`: its start with a cache, and its memory at rest (24). */
export async function agentClient(): Promise<void> {
  for (const services of [0, 1_000]) {
    const config = await mkdtemp(join(tmpdir(), 'bench-config-'));
    await writeFile(join(config, 'topology.yaml'), serviceMesh);
    const files = services === 0 ? [] : generateMesh({ services, workloads: services, namespaces: 10 });
    for (const { path, text } of files) await writeFile(join(config, path), text);
    const meshd = await Meshd.start('ECDSA', ['--config', config, '--anyProxyAddress']);
    const folder = await AgentFolder.create(0);
    try {
      await meshd.seen('configuration compiled');
      await prepare(folder, meshd);
      await resting(folder, `${services} services`, {});
      await resting(folder, `${services} services, variables of the image`, ofImage);
      for (const { name, path } of nodes) await starting(folder, path, `${name}, ${services} services`);
    } finally {
      await folder.remove();
      await meshd.end();
      await rm(config, { recursive: true, force: true });
    }
  }
}

/** A certificate of meshd's, and where it is. */
async function prepare(folder: AgentFolder, meshd: Meshd): Promise<void> {
  const { root, privateKey, certificates } = await signedFor(meshd, ['foo/httpbin']);
  await folder.write('certs/key.pem', privateKey);
  await folder.write('certs/cert-chain.pem', certificates.join(''));
  await folder.write('certs/root-cert.pem', root);
  await folder.write('mesh.yaml', `defaultConfig: {discoveryAddress: "localhost:${meshd.port}"}\n`);
}

function start(folder: AgentFolder, { environment = {}, ...rest }: AgentStart = {}): Program {
  const given = { INSTANCE_IP: '127.0.0.1', ...environment };
  return folder.start({ ...rest, environment: given, source: ['--meshConfig', 'mesh.yaml'] });
}

async function resting(
  folder: AgentFolder,
  label: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const agent = start(folder, { environment });
  try {
    await agent.seen('configuration in force');
    await delay(settleSeconds * 1_000);
    const cpu = await cpuPercent(agent.pid, restSeconds);
    const { now, peak } = residentMib(agent.pid);
    line(
      `client of meshd, ${label}`,
      `at rest ${now.toFixed(0)} MiB`,
      `peak ${peak.toFixed(0)} MiB`,
      `CPU ${cpu.toFixed(2)} %`,
    );
  } finally {
    await agent.end();
  }
}

/** Each in turn, so that a slow moment of the machine meets both. */
async function starting(folder: AgentFolder, node: string, label: string): Promise<void> {
  const [bare, spawned, inForce]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < runs; i += 1) {
    const began = performance.now();
    await once(spawn(node, ['-e', '0'], { stdio: 'ignore' }), 'close');
    bare.push(performance.now() - began);
    const agent = start(folder, { node });
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
