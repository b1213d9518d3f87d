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
   * clusters (with the old ones that go), routes, listeners; then what is no longer used goes, routes before clusters.
   */
  run(wait: Await): Promise<void>;
}

/**
 * Writes what differs below `folder` under other names; when that fails nothing has changed, and the space is free again.
 * `finish` is called when the next configuration is in force.
 */
export async function prepareReplacement(
  folder: string,
  before: ProxyFiles,
  next: ProxyFiles,
  finish: () => Promise<void>,
): Promise<Replacement> {
  const stage = new Stage(folder);
  const union = unionOfClusters(before.clusters, next.clusters);
  const write = async (
    name: string,
    old: ResourceFile | undefined,
    file: ResourceFile,
    turn?: number,
  ): Promise<StagedFile[]> => (old?.version === file.version ? [] : [await stage.write(name, file.text, turn)]);
  try {
    const clusters = await write('clusters.json', before.clusters, union);
    const routes: StagedFile[] = [];
    for (const [name, file] of next.routes) {
      routes.push(...(await write(join('routes', name), before.routes.get(name), file)));
    }
    const listeners = await write('listeners.json', before.listeners, next.listeners);
    const last = await write('clusters.json', union, next.clusters, 1);
    return {
      run: async (wait) => {
        try {
          await replace({ before, next, union, clusters, routes, listeners, last }, wait);
          await finish();
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
  /** Clusters without those that go. */
  readonly last: readonly StagedFile[];
}

async function replace({ before, next, union, clusters, routes, listeners, last }: Steps, wait: Await): Promise<void> {
  const expected = expectedVersions(next);
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
  if (last.length > 0) {
    await wait({ listeners: expected.listeners, routes: expected.routes });
    await putAll(last);
  }
  await wait(expected);
}

async function putAll(files: readonly StagedFile[]): Promise<void> {
  for (const file of files) await file.put();
}

/** The next clusters, and those of before that the next configuration no longer has: routes may still lead to them. */
function unionOfClusters(before: ResourceFile, next: ResourceFile): ResourceFile {
  const names = new Set(next.resources.map(({ name }) => name));
  const leaving = before.resources.filter(({ name }) => !names.has(name));
  return leaving.length === 0 ? next : new ResourceFile([...next.resources, ...leaving]);
}
