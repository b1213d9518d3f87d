import { until } from '../../testbed/until.ts';
import type { Cluster } from './cluster.ts';

/** A kind of the Gateway API as a test defines it: its plural, and the versions that are served, the stored one first. */
export interface StandardDefinition {
  readonly kind: string;
  readonly resource: string;
  readonly versions: readonly [string, ...string[]];
  readonly scope?: 'Cluster';
}

/** All kinds that are read, TLSRoute and ReferenceGrant in versions of older releases. */
export const standardDefinitions: readonly StandardDefinition[] = [
  { kind: 'GatewayClass', resource: 'gatewayclasses', versions: ['v1'], scope: 'Cluster' },
  { kind: 'Gateway', resource: 'gateways', versions: ['v1'] },
  { kind: 'HTTPRoute', resource: 'httproutes', versions: ['v1', 'v1beta1'] },
  { kind: 'GRPCRoute', resource: 'grpcroutes', versions: ['v1'] },
  { kind: 'TLSRoute', resource: 'tlsroutes', versions: ['v1alpha2'] },
  { kind: 'ReferenceGrant', resource: 'referencegrants', versions: ['v1beta1'] },
];

const group = 'gateway.networking.k8s.io';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const loose = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const text = { type: 'string' };

/** A list whose items are told apart by these fields; others of them keep what somebody else wrote. */
function mapOf(properties: object, ...keys: readonly string[]): object {
  const items = { type: 'object', properties, required: keys };
  return { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
}

/** A server fills in group and kind. */
const reference = {
  type: 'object',
  properties: {
    ...{ group: { ...text, default: group }, kind: { ...text, default: 'Gateway' }, namespace: text, name: text },
    ...{ sectionName: text, port: { type: 'integer' } },
  },
};

const conditions = mapOf(
  {
    ...{ type: text, status: { ...text, enum: ['True', 'False', 'Unknown'] }, reason: { ...text, minLength: 1 } },
    ...{ message: text, observedGeneration: { type: 'integer' }, lastTransitionTime: { ...text, format: 'date-time' } },
  },
  'type',
);

/** The parts of a status with the kinds of lists that the published definitions have. */
const status = {
  type: 'object',
  properties: {
    conditions,
    addresses: {
      ...{ type: 'array', 'x-kubernetes-list-type': 'atomic' },
      items: { type: 'object', properties: { type: text, value: text } },
    },
    listeners: mapOf(
      {
        ...{ name: text, attachedRoutes: { type: 'integer' }, conditions },
        supportedKinds: { type: 'array', items: { type: 'object', properties: { group: text, kind: text } } },
      },
      'name',
    ),
    parents: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'object', properties: { parentRef: reference, controllerName: text, conditions } },
    },
  },
};

/** Makes kinds of the Gateway API known to the server, with a loose specification, and returns once they are served. */
export async function defineGatewayApi({ api }: Cluster, kinds = standardDefinitions): Promise<void> {
  await Promise.all(
    kinds.map(async ({ kind, resource, versions, scope = 'Namespaced' }) => {
      const name = `${resource}.${group}`;
      const schema = { openAPIV3Schema: { type: 'object', properties: { spec: loose, status } } };
      const [stored] = versions;
      const served = versions.map((version) => {
        return { name: version, served: true, storage: version === stored, schema, subresources: { status: {} } };
      });
      await api.must('POST', definitions, {
        // The server keeps groups of this domain for those who say that they know.
        metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
        spec: { group, scope, names: { kind, plural: resource }, versions: served },
      });
      const paths = versions.map((version) => `/apis/${group}/${version}/${resource}`);
      const isServed = async () =>
        (await Promise.all(paths.map((path) => api.ask('GET', path)))).every((answer) => answer.status === 200);
      const isEstablished = async () => {
        const { status: now } = await api.must('GET', `${definitions}/${name}`);
        const said: readonly { readonly type: string; readonly status: string }[] = now?.conditions ?? [];
        return said.some((condition) => condition.type === 'Established' && condition.status === 'True');
      };
      await until(async () => ((await isEstablished()) && (await isServed())) || undefined, {
        timeoutMs: 60_000,
        otherwise: async () => `${name} is not served`,
      });
    }),
  );
}
