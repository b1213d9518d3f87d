import { chmod, chown, lchown, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterObject, PodManifest, Volume } from './pod-manifest.ts';

/** What the volumes of a pod are made from. */
export interface VolumeSources {
  /** The objects of its namespace: ConfigMaps and Secrets among them. Values of a Secret are plain text here. */
  readonly objects: readonly ClusterObject[];
  readonly pod: PodManifest;
  /** Mints a token of the pod's service account for an audience; needed where a volume has one. */
  readonly mint?: (audience: string) => Promise<string>;
}

/**
 * Makes the volumes of a pod below `folder` as a kubelet does, each in a folder of its name: files of ConfigMaps, Secrets,
 * tokens and the downward API behind the link `..data`, owned by root and the pod's fsGroup; an emptyDir for everybody in the
 * group, with the group handed down (Kubernetes: pkg/volume, AtomicWriter and SetVolumeOwnership).
 */
export async function makeVolumes(folder: string, sources: VolumeSources): Promise<void> {
  const group = sources.pod.spec.securityContext.fsGroup;
  for (const volume of sources.pod.spec.volumes) {
    const path = join(folder, volume.name);
    await mkdir(path, { recursive: true });
    await chown(path, 0, group);
    await chmod(path, 0o2777);
    if (volume.emptyDir === undefined) await project(path, await filesOf(volume, sources), group, modeOf(volume));
  }
}

/** Gives a volume other files, as a kubelet does when its object has changed: one rename of `..data`. */
export async function changeVolume(
  folder: string,
  name: string,
  files: Readonly<Record<string, string>>,
  { spec }: PodManifest,
): Promise<void> {
  const volume = spec.volumes.find((one) => one.name === name);
  if (volume === undefined) throw new Error(`the pod has no volume "${name}"`);
  await project(join(folder, name), files, spec.securityContext.fsGroup, modeOf(volume));
}

let generation = 0;

/** The visible names link to `..data/NAME` and stay; `..data` is replaced. */
async function project(
  path: string,
  files: Readonly<Record<string, string>>,
  group: number,
  mode: number,
): Promise<void> {
  generation += 1;
  const version = `..${generation}`;
  await mkdir(join(path, version));
  await chown(join(path, version), 0, group);
  await chmod(join(path, version), 0o2755);
  for (const [name, text] of Object.entries(files)) {
    const file = join(path, version, name);
    await writeFile(file, text);
    await chown(file, 0, group);
    // An fsGroup may read, whatever the mode says.
    await chmod(file, mode | 0o440);
    await rm(join(path, name), { force: true });
    await symlink(join('..data', name), join(path, name));
    await lchown(join(path, name), 0, group);
  }
  await symlink(version, join(path, '..data_tmp'));
  await rename(join(path, '..data_tmp'), join(path, '..data'));
}

function modeOf({ secret }: Volume): number {
  return secret?.defaultMode ?? 0o644;
}

async function filesOf(
  volume: Volume,
  { objects, pod, mint }: VolumeSources,
): Promise<Readonly<Record<string, string>>> {
  const dataOf = (kind: string, name: string): Readonly<Record<string, string>> => {
    const object = objects.find((one) => one.kind === kind && one.metadata.name === name);
    if (object?.data === undefined) throw new Error(`no ${kind} "${name}"`);
    return object.data;
  };
  if (volume.configMap !== undefined) return dataOf('ConfigMap', volume.configMap.name);
  if (volume.secret !== undefined) return dataOf('Secret', volume.secret.secretName);
  if (volume.projected !== undefined) {
    const tokens = volume.projected.sources.map(({ serviceAccountToken }) => serviceAccountToken);
    return Object.fromEntries(
      await Promise.all(tokens.map(async ({ audience, path }) => [path, (await mint?.(audience)) ?? ''] as const)),
    );
  }
  const items = volume.downwardAPI?.items ?? [];
  return Object.fromEntries(items.map(({ path, fieldRef }) => [path, mapField(pod, fieldRef.fieldPath)]));
}

/** Labels and annotations as the downward API writes them: `key="value"`, quoted as Go does, sorted. */
function mapField({ metadata }: PodManifest, fieldPath: string): string {
  const fields: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = {
    'metadata.labels': metadata.labels,
    'metadata.annotations': metadata.annotations,
  };
  if (!(fieldPath in fields)) throw new Error(`no field "${fieldPath}"`);
  return Object.entries(fields[fieldPath] ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}
