import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Cluster } from './cluster.ts';
import { builtProgram } from './programs.ts';

/** Runs kubectl to its end and gives what it prints; throws with its own words where it fails. */
export type Kubectl = (args: readonly string[], stdin?: string) => Promise<string>;

/** The kubectl of the cluster that a kubeconfig names. */
export async function openKubectl(kubeconfig: string): Promise<Kubectl> {
  const program = await builtProgram('kubectl');
  return async (args, stdin = '') => {
    const running = promisify(execFile)(program, ['--kubeconfig', kubeconfig, ...args], { maxBuffer: 64 << 20 });
    running.child.stdin?.end(stdin);
    return (await running).stdout;
  };
}

/** That of an administrator. */
export function adminKubectl(cluster: Cluster): Promise<Kubectl> {
  return openKubectl(cluster.kubeconfig('admin', cluster.adminToken));
}
