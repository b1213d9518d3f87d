import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceMesh } from '../src/cli/agent/testing/sample-mesh.ts';
import { AgentFolder, type AgentStart } from './agent-folder.ts';
import { signedFor } from './client-identities.ts';
import { generateMesh } from './mesh.ts';
import { Meshd } from './meshd-folder.ts';
import type { Program } from './program.ts';

/** Gives `use` the folder of an agent that is a client of a `meshd`, which runs with so many services until `use` ends. */
export async function withClientFolder(services: number, use: (folder: AgentFolder) => Promise<void>): Promise<void> {
  const config = await mkdtemp(join(tmpdir(), 'bench-config-'));
  await writeFile(join(config, 'topology.yaml'), serviceMesh);
  const files = services === 0 ? [] : generateMesh({ services, workloads: services, namespaces: 10 });
  for (const { path, text } of files) await writeFile(join(config, path), text);
  const meshd = await Meshd.start('ECDSA', ['--config', config, '--anyProxyAddress']);
  const folder = await AgentFolder.create(0);
  try {
    await meshd.seen('configuration compiled');
    await prepare(folder, meshd);
    await use(folder);
  } finally {
    await folder.remove();
    await meshd.end();
    await rm(config, { recursive: true, force: true });
  }
}

/** Starts the agent of such a folder. */
export function startClient(folder: AgentFolder, { environment = {}, ...rest }: AgentStart = {}): Program {
  const given = { INSTANCE_IP: '127.0.0.1', ...environment };
  return folder.start({ ...rest, environment: given, source: ['--meshConfig', 'mesh.yaml'] });
}

/** Has an agent fill the cache of its folder. */
export async function runOnce(folder: AgentFolder): Promise<void> {
  const agent = startClient(folder);
  await agent.seen('configuration in force');
  await agent.end();
}

/** A certificate of meshd's, and where it is. */
async function prepare(folder: AgentFolder, meshd: Meshd): Promise<void> {
  const { root, privateKey, certificates } = await signedFor(meshd, ['foo/httpbin']);
  await folder.write('certs/key.pem', privateKey);
  await folder.write('certs/cert-chain.pem', certificates.join(''));
  await folder.write('certs/root-cert.pem', root);
  await folder.write('mesh.yaml', `defaultConfig: {discoveryAddress: "localhost:${meshd.port}"}\n`);
}
