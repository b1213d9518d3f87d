import { readFile } from 'node:fs/promises';
import type { CacheAnswer, CacheOwner } from './cache.ts';
import type { DiscoveryConfig } from './discovery-config.ts';
import { rootDigests, shareRoot } from './roots.ts';

type Wanted = Pick<DiscoveryConfig, 'nodeId' | 'identityPrefix' | 'maxAgeMs' | 'rootPath'>;

/** Why a cache is not this workload's, or not now; undefined: it can be used. */
export async function misfitOf(
  { owner, ageMs }: Extract<CacheAnswer, { readonly owner: CacheOwner }>,
  { nodeId, identityPrefix, maxAgeMs, rootPath }: Wanted,
): Promise<string | undefined> {
  if (ageMs > maxAgeMs) return `it is ${Math.round(ageMs / 1000)} s old, at most ${Math.round(maxAgeMs / 1000)}`;
  if (owner.workload !== nodeId) return `it is of the workload "${owner.workload}", expected "${nodeId}"`;
  if (!owner.identity.startsWith(identityPrefix)) return `it is of the identity "${owner.identity}"`;
  const roots = await readFile(rootPath, 'latin1').catch(() => '');
  if (!shareRoot(owner.roots, roots === '' ? [] : rootDigests(roots)))
    return `it is of a mesh with another root than "${rootPath}"`;
  return undefined;
}
