import { type CustomResourceDefinition, defineKind } from '../../definitions/define-kind.ts';
import { definedKinds } from '../../definitions/defined-kinds.ts';
import { aliases, groupAlias } from '../../policy/alias.ts';
import { until } from '../../testbed/until.ts';
import type { Cluster } from './cluster.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface CustomType {
  readonly group: string;
  readonly kind: string;
}

/** Makes a kind known to the server, as `meshd crds` prints it, and returns once its objects are served. */
export async function define({ api }: Cluster, { group, kind }: CustomType): Promise<void> {
  const defined = definedKinds.find((it) => it.kind === kind && it.group === groupAlias(group));
  if (defined === undefined) throw new Error(`no definition of ${kind} in ${group}`);
  const definition = defineKind(defined, { group });
  await api.must('POST', definitions, definition);
  await untilServed(api, definition);
}

/** Takes a kind away, and returns once its objects and the definition are gone: the server only begins it at a DELETE. */
export async function undefine({ api }: Cluster, name: string): Promise<void> {
  const path = `${definitions}/${name}`;
  await api.must('DELETE', path);
  await until(async () => (await api.ask('GET', path)).status === 404 || undefined, {
    timeoutMs: 60_000,
    otherwise: async () => `${name} is not gone`,
  });
}

/** Resolves once objects of a definition are served in each of its versions. */
export async function untilServed(api: Cluster['api'], definition: CustomResourceDefinition): Promise<void> {
  await until(async () => (await isServed(api, definition)) || undefined, {
    timeoutMs: 60_000,
    otherwise: async () => `${definition.metadata.name} is not served`,
  });
}

/** Makes a kind of Istio known to the server, whose status takes whatever is written: its conditions are one value. */
export async function defineIstioKind(
  { api }: Cluster,
  { group, kind, resource }: CustomType & { readonly resource: string },
): Promise<void> {
  const loose = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: loose, status: loose } } };
  const versions = [{ name: 'v1beta1', served: true, storage: true, schema, subresources: { status: {} } }];
  const spec = { group, scope: 'Namespaced', names: { kind, plural: resource }, versions };
  await api.must('POST', definitions, { metadata: { name: `${resource}.${group}` }, spec });
  await until(async () => (await api.ask('GET', `/apis/${group}/v1beta1/${resource}`)).status === 200 || undefined, {
    timeoutMs: 60_000,
    otherwise: async () => `${resource}.${group} is not served`,
  });
}

/** {@link define}, for every kind of ours. */
export async function defineAll(cluster: Cluster): Promise<void> {
  await Promise.all(definedKinds.map((kind) => define(cluster, kind)));
}

/** {@link define}, for every kind under our groups and under those of Istio. */
export async function defineInBothGroups(cluster: Cluster): Promise<void> {
  const theirs = Object.entries(aliases.groups);
  const groupsOf = (own: string): string[] => [own, ...theirs.flatMap(([group, of]) => (of === own ? [group] : []))];
  const types = definedKinds.flatMap(({ kind, group: own }) => groupsOf(own).map((group) => ({ kind, group })));
  await Promise.all(types.map((type) => define(cluster, type)));
}

/** Once the server has established it: until then, one of the same name that was deleted may still be served. */
async function isServed(api: Cluster['api'], { metadata, spec }: CustomResourceDefinition): Promise<boolean> {
  const { status } = await api.must('GET', `${definitions}/${metadata.name}`);
  const conditions: readonly { readonly type: string; readonly status: string }[] = status?.conditions ?? [];
  if (!conditions.some((condition) => condition.type === 'Established' && condition.status === 'True')) return false;
  const paths = spec.versions.map(({ name }) => `/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`);
  const answers = await Promise.all(paths.map((path) => api.ask('GET', path)));
  return answers.every((answer) => answer.status === 200);
}
