import { readNamedText } from '../lib/read-file.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { accessOfPod } from './in-cluster.ts';
import { accessOfKubeconfig } from './kubeconfig.ts';
import { KubernetesError } from './kubernetes-error.ts';

/** A context of a kubeconfig; without one, the cluster that this process runs in. */
export interface ClusterAddress {
  readonly kubeconfig: string | undefined;
  /** Undefined: the current one. */
  readonly context: string | undefined;
}

/**
 * Finds out how to reach a cluster. Throws `KubernetesError` for a kubeconfig that can't be read or used, and, without one,
 * outside of a cluster.
 */
export async function openAccess(
  { kubeconfig, context }: ClusterAddress,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ClusterAccess> {
  if (kubeconfig === undefined) return accessOfPod(environment);
  let text: string;
  try {
    text = await readNamedText(kubeconfig, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    const message = `cannot read the kubeconfig "${kubeconfig}" (${code})`;
    throw new KubernetesError('cluster-access-unusable', message, { cause });
  }
  return accessOfKubeconfig(kubeconfig, text, context);
}
