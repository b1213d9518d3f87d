import { until } from '../../testbed/until.ts';
import type { Cluster } from './cluster.ts';

interface CustomType {
  readonly group: string;
  readonly kind: string;
  readonly resource: string;
}

/** Makes a kind known to the server that takes any object, so that what is wrong with one reaches those who follow it. */
export async function defineLoosely({ api }: Cluster, { group, kind, resource }: CustomType): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: 'v1beta1', served: true, storage: true, schema, subresources: { status: {} } };
  const spec = { group, scope: 'Namespaced', names: { kind, plural: resource }, versions: [version] };
  const definition = { metadata: { name: `${resource}.${group}` }, spec };
  await api.must('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await until(async () => (await api.ask('GET', `/apis/${group}/v1beta1/${resource}`)).status === 200 || undefined, {
    timeoutMs: 20_000,
    otherwise: async () => `${resource}.${group} is not served`,
  });
}
