import { join } from 'node:path';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { ResourceFile } from '../../envoy/api/resource-file.ts';
import { type ExpectedVersions, expectedVersions, routeVersions } from './in-force.ts';
import { routeNamesOf } from './proxy-files.ts';
import { Stage, type StagedFile } from './stage.ts';

/** Resolves when Envoy has the versions in force; throws what the replacement has to stop for. */
export type Await = (expected: ExpectedVersions) => Promise<void>;

/** A change whose files lie ready: nothing that Envoy reads has been touched. */
export interface Replacement {
  /**
   * Leads a running Envoy from one configuration to the next, in an order in which nothing refers to what is not there:
   * clusters (with the old ones that go), routes, listeners; then the routes that are no longer used go. Clusters stay: see
   * `LeavingClusters`.
   */
  run(wait: Await): Promise<void>;
}

/**
 * Writes what differs below `folder` under other names; when that fails nothing has changed, and the space is free again.
 * Envoy has the clusters `had`, and is given those of `next` beside them; `finish` is called with all of them when the next
 * configuration is in force.
 */
export async function prepareReplacement(
  folder: string,
  { before, had }: { readonly before: ProxyFiles; readonly had: ResourceFile },
  next: ProxyFiles,
  finish: (clusters: ResourceFile) => Promise<void>,
): Promise<Replacement> {
  const stage = new Stage(folder);
  const union = unionOfClusters(had, next.clusters);
  const write = async (name: string, old: ResourceFile | undefined, file: ResourceFile): Promise<StagedFile[]> =>
    old?.version === file.version ? [] : [await stage.write(name, file.text)];
  try {
    const clusters = await write('clusters.json', had, union);
    const routes: StagedFile[] = [];
    for (const [name, file] of next.routes) {
      routes.push(...(await write(join('routes', name), before.routes.get(name), file)));
    }
    const listeners = await write('listeners.json', before.listeners, next.listeners);
    return {
      run: async (wait) => {
        try {
          await replace({ before, next, union, clusters, routes, listeners }, wait);
          await finish(union);
        } finally {
          await stage.clear();
        }
      },
    };
  } catch (error) {
    await stage.clear();
    throw error;
  }
}

/** The files of a change that lie ready, in the order in which they are put; empty where nothing changes. */
interface Steps {
  readonly before: ProxyFiles;
  readonly next: ProxyFiles;
  readonly union: ResourceFile;
  readonly clusters: readonly StagedFile[];
  readonly routes: readonly StagedFile[];
  readonly listeners: readonly StagedFile[];
}

async function replace({ before, next, union, clusters, routes, listeners }: Steps, wait: Await): Promise<void> {
  if (clusters.length > 0) {
    await putAll(clusters);
    // Nothing leads to these clusters yet, so that a change of nothing else needs one wait only, the last.
    if (routes.length + listeners.length > 0) await wait({ clusters: union.version });
  }
  await putAll(routes);
  if (listeners.length > 0) {
    // Routes that only the next listeners ask for are read when those come.
    if (routes.length > 0) await wait({ routes: routeVersions(next, routeNamesOf(before.listeners.resources)) });
    await putAll(listeners);
  }
  await wait({ ...expectedVersions(next), clusters: union.version });
}

async function putAll(files: readonly StagedFile[]): Promise<void> {
  for (const file of files) await file.put();
}

/** The next clusters, and those that Envoy has and the next configuration does not: routes may still lead to them. */
function unionOfClusters(before: ResourceFile, next: ResourceFile): ResourceFile {
  const names = new Set(next.resources.map(({ name }) => name));
  const leaving = before.resources.filter(({ name }) => !names.has(name));
  return leaving.length === 0 ? next : new ResourceFile([...next.resources, ...leaving]);
}
