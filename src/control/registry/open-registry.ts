import { resolve } from 'node:path';
import type { Revision } from '../../git/revision.ts';
import { KubernetesApi } from '../../kubernetes/api.ts';
import { type ClusterAddress, openAccess } from '../../kubernetes/open-access.ts';
import type { Rate } from '../../lib/token-buckets.ts';
import type { SourceFile } from '../../source/document.ts';
import { ClusterRegistry } from './cluster/cluster-registry.ts';
import { FilesRegistry } from './files.ts';
import { GitRegistry } from './git.ts';
import type { Registry } from './registry.ts';

/** Where the objects of a mesh are. */
export type MeshSource =
  /** Folder of policies, services and workloads. */
  | { readonly type: 'folder'; readonly folder: string }
  /** The same of a commit; the folder is the repository's. */
  | { readonly type: 'git'; readonly folder: string; readonly revision: Revision }
  | {
      readonly type: 'cluster';
      readonly address: ClusterAddress;
      /** Empty: the whole cluster. */
      readonly namespaces: readonly string[];
      /** PILOT_USE_ENDPOINT_SLICE */
      readonly slices: boolean;
      /** Absent: the status of objects is not written. */
      readonly status?: StatusConfig | undefined;
    };

/** What the status of objects says, and how often it is written. */
export interface StatusConfig {
  /** PILOT_ENABLE_STATUS: whether the object is accepted, and how many proxies have it. */
  readonly reconciliation: boolean;
  /** PILOT_ENABLE_ANALYSIS: what lint finds. */
  readonly analysis: boolean;
  /** PILOT_STATUS_QPS, PILOT_STATUS_BURST */
  readonly rate: Rate;
}

/** What was in force before the registry is opened. */
export interface Before {
  readonly files: readonly SourceFile[] | undefined;
  readonly folders: Registry['folders'] | undefined;
}

/** What tells one source from another, for what is kept of it. */
export function nameOf(source: MeshSource): string {
  if (source.type === 'folder') return resolve(source.folder);
  if (source.type === 'git') return `git ${JSON.stringify([resolve(source.folder), source.revision.text])}`;
  const { kubeconfig, context } = source.address;
  return `kubernetes ${JSON.stringify([kubeconfig === undefined ? null : resolve(kubeconfig), context ?? null])}`;
}

/** Opens a source; a cluster that cannot be reached is followed until it can. `KubernetesError` for an unusable kubeconfig. */
export async function openRegistry(
  source: MeshSource,
  before: Before,
  onProblem: (text: string) => void,
): Promise<Registry> {
  if (source.type === 'folder') return new FilesRegistry(source.folder, before.folders);
  if (source.type === 'git') return new GitRegistry(source.folder, source.revision);
  const api = new KubernetesApi(await openAccess(source.address, process.env));
  const { namespaces, slices, status } = source;
  const keepsFacts = status !== undefined;
  return new ClusterRegistry({ api, namespaces, slices, keepsFacts, known: before.files ?? [], onProblem });
}
