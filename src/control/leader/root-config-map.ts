import type { ApiObject, ResourceType } from '../../kubernetes/resource-type.ts';

/** ConfigMap of the mesh's roots in each namespace, which pods mount. */
export const rootConfigMap = 'istio-ca-root-cert';
/** Its one key that counts: certificates, PEM. */
export const rootKey = 'root-cert.pem';

export const configMaps: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', isNamespaced: true },
};

const labels = { 'istio.io/config': 'true' };

/** The fields of a namespace's ConfigMap that are ours, as a server-side apply has them. */
export function rootConfigMapOf(namespace: string, roots: string): object {
  const metadata = { name: rootConfigMap, namespace, labels };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [rootKey]: roots } };
}

/** What is compared of a ConfigMap: the roots, where its label is there too. */
export function rootsOf({ metadata, data }: ApiObject): string | undefined {
  const of = metadata.labels as Readonly<Record<string, string>> | undefined;
  const isLabelled = Object.entries(labels).every(([key, value]) => of?.[key] === value);
  const roots = (data as Readonly<Record<string, string>> | undefined)?.[rootKey];
  return isLabelled ? roots : undefined;
}
