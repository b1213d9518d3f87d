import { type ManifestPart, manifestOrder, manifestText } from '../../install/manifest.ts';
import type { Cluster } from './cluster.ts';
import { adminKubectl } from './kubectl.ts';

/** What an administrator installs without options. */
export const usualInstallation = {
  ...{ namespace: 'mesh-system', revision: 'default', image: 'meshd:test', replicas: 2, meshConfig: '' },
};

/** Applies parts of the manifest of `meshd` with kubectl; without a word the namespace, its account and the rights. */
export async function applyInstallation(
  cluster: Cluster,
  parts: readonly ManifestPart[] = ['namespace', 'rights'],
): Promise<void> {
  const kubectl = await adminKubectl(cluster);
  const chosen = manifestOrder.filter((part) => parts.includes(part));
  await kubectl(['apply', '-f', '-'], manifestText(usualInstallation, chosen));
}
