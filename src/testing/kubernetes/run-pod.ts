import type { ApiClient } from './api-client.ts';

/** Of a Pod, what its manifest must have. */
export interface PodManifest {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly [field: string]: unknown };
  readonly spec?: { readonly containers?: readonly object[]; readonly [field: string]: unknown };
  readonly status?: object;
}

/** Makes a pod and says, as the kubelet of a node would, that it runs: with the addresses and conditions of its `status`. */
export async function runPod(api: ApiClient, { metadata, spec, status }: PodManifest): Promise<void> {
  const containers = (spec?.containers ?? []).map((container) => ({ image: 'application', ...container }));
  const path = `/api/v1/namespaces/${metadata.namespace}/pods`;
  await api.must('POST', path, { metadata, spec: { nodeName: 'node', ...spec, containers } });
  await api.must('PATCH', `${path}/${metadata.name}/status`, { status }, 'application/merge-patch+json');
}
