import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from './cluster.ts';
import { builtProgram } from './programs.ts';

const repository = resolve(import.meta.dirname, '../../..');

/** Applies a manifest of the repository with kubectl, as an administrator does. */
export async function applyManifest(cluster: Cluster, path: string): Promise<void> {
  const kubeconfig = cluster.kubeconfig('kubectl', cluster.adminToken);
  const args = ['--kubeconfig', kubeconfig, 'apply', '-f', resolve(repository, path)];
  await promisify(execFile)(await builtProgram('kubectl'), args);
}
