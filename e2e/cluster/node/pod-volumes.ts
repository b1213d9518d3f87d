import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Cluster } from '../../../src/testing/kubernetes/cluster.ts';
import type { PodOnServer, VolumeOfPod, VolumeSource } from './pod-object.ts';

type Files = Readonly<Record<string, string>>;

/**
 * Makes the volumes of a pod, each as a folder of its name, with the files that a kubelet asks the API server for: of
 * ConfigMaps, tokens of the pod's account, labels and annotations. Any other kind of volume throws.
 */
export async function makePodVolumes(folder: string, pod: PodOnServer, cluster: Cluster): Promise<void> {
  for (const volume of pod.spec.volumes ?? []) {
    const path = join(folder, volume.name);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o777);
    if (volume.emptyDir !== undefined) continue;
    const parts = await Promise.all(sourcesOf(volume).map((source) => filesOf(source, pod, cluster)));
    await project(path, Object.assign({}, ...parts));
  }
}

function sourcesOf(volume: VolumeOfPod): readonly VolumeSource[] {
  return volume.projected?.sources ?? [volume];
}

/** A volume's files come behind the link `..data`, as a kubelet writes them: readers that watch for that link see it. */
async function project(path: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(path, '..1', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o644 });
    await symlink(join('..data', name), join(path, name));
  }
  await symlink('..1', join(path, '..data_tmp'));
  await rename(join(path, '..data_tmp'), join(path, '..data'));
}

async function filesOf(source: VolumeSource, pod: PodOnServer, { api, accountToken }: Cluster): Promise<Files> {
  const { namespace } = pod.metadata;
  const { configMap, serviceAccountToken, downwardAPI } = source;
  if (configMap !== undefined) {
    const { data = {} } = await api.must('GET', `/api/v1/namespaces/${namespace}/configmaps/${configMap.name}`);
    const items = configMap.items?.map(({ key = '', path }) => [path, data[key]] as const);
    return items === undefined ? data : Object.fromEntries(items);
  }
  if (serviceAccountToken !== undefined) {
    const { audience, path } = serviceAccountToken;
    const audiences = audience === undefined ? undefined : [audience];
    return { [path]: await accountToken(namespace, pod.spec.serviceAccountName, audiences) };
  }
  if (downwardAPI !== undefined) {
    const items = downwardAPI.items ?? [];
    return Object.fromEntries(items.map(({ path, fieldRef }) => [path, fieldOf(pod, fieldRef?.fieldPath ?? '')]));
  }
  throw new Error(`a volume of ${namespace}/${pod.metadata.name} that nobody can make: ${JSON.stringify(source)}`);
}

/** A field of the pod as the downward API writes it; maps as lines `key="value"`, sorted. */
function fieldOf({ metadata }: PodOnServer, fieldPath: string): string {
  const fields: Readonly<Record<string, string | Files | undefined>> = {
    'metadata.namespace': metadata.namespace,
    'metadata.labels': metadata.labels,
    'metadata.annotations': metadata.annotations,
  };
  if (!Object.hasOwn(fields, fieldPath)) throw new Error(`no field "${fieldPath}" in a volume`);
  const value = fields[fieldPath] ?? {};
  if (typeof value === 'string') return value;
  const lines = Object.entries(value).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
  return lines.sort().join('\n');
}
