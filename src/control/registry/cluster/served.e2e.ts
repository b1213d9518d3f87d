import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../../compiler/compile.ts';
import { type EnvoyConfig, messageTypes, type Resource } from '../../../compiler/render/resource.ts';
import { readSettings } from '../../../config/read.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { encodeMessage } from '../../../envoy/api/encode.ts';
import { eventually } from '../../../testing/eventually.ts';
import { type Cluster, startCluster, usualControllers } from '../../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../../testing/kubernetes/definitions.ts';
import { adminKubectl } from '../../../testing/kubernetes/kubectl.ts';
import { type ConfigurationList, configurationTypes } from '../../../xds/aggregated-service.ts';
import { makePod, makeSampleMesh } from '../../testing/cluster-mesh.ts';
import { type RawStream, ServingBench, textOf } from '../../testing/serving-bench.ts';
import { type FollowedKind, followedKinds } from './kinds.ts';

const policies = '/apis/security.mesh.io/v1beta1/namespaces/foo/authorizationpolicies';
const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];
const own = (kind: FollowedKind): boolean => !kind.type.group.endsWith('istio.io');

/** A policy that denies a path to all workloads of foo. */
const deny = (path: string, action = 'DENY') => ({
  ...{ apiVersion: 'security.mesh.io/v1beta1', kind: 'AuthorizationPolicy', metadata: { name: 'deny' } },
  spec: { action, rules: [{ to: [{ operation: { paths: [path] } }] }] },
});

describe('meshd, serving a Kubernetes cluster', () => {
  let cluster: Cluster;
  let bench: ServingBench;
  let stream: RawStream;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: [...usualControllers, 'endpoints-controller'] });
    await defineAll(cluster);
    await makeSampleMesh(cluster);
    bench = await ServingBench.create();
    const address = { kubeconfig: cluster.kubeconfig('meshd', cluster.adminToken), context: undefined };
    // Addresses of loopback are no endpoints to Kubernetes, so that the test cannot come from its pod's.
    await bench.start({
      takesAnyAddress: true,
      compile: { source: { type: 'cluster', address, namespaces: [], slices: false } },
    });
    stream = bench.open(await bench.identity('foo/httpbin'));
    for (const list of ['clusters', 'listeners'] as const) stream.subscribe(list);
    await eventually(() => expect(new Set(resources(stream).keys())).toContain('listeners/virtualInbound'));
    const { config } = await compileOffline(await objectsOf(cluster));
    for (const list of ['endpoints', 'routes'] as const) {
      const { typeUrl } = configurationTypes[list];
      stream.ask({ type_url: typeUrl, resource_names_subscribe: config[list].map(({ name }) => name) });
    }
  });
  afterAll(async () => {
    await bench?.close();
    await cluster?.close();
  });

  test('gives what a compilation of the output of kubectl gives, byte for byte', async () => {
    await eventually(async () => {
      const { config } = await compileOffline(await objectsOf(cluster));
      expect(Object.fromEntries(resources(stream))).toEqual(versionsOf(config));
    });
  });

  test("gives an endpoint the locality of its pod's node, follows the node's labels, and ignores heartbeats", async () => {
    const assigned = () =>
      stream.seen
        .map(textOf)
        .filter((text) => text.includes('ClusterLoadAssignment') && text.includes('10.1.0.1'))
        .at(-1);
    // Made after its pod: servers since 1.35 copy these labels to pods that come to a node.
    const labels = { 'topology.kubernetes.io/region': 'west', 'topology.kubernetes.io/zone': 'west-1' };
    await cluster.api.must('POST', '/api/v1/nodes', { metadata: { name: 'node', labels } });
    await eventually(() => expect(assigned()).toMatch(/"region":"west","zone":"west-1"/));
    const before = await bench.metric('meshd_compilations_count');
    const merge = (path: string, body: object) => cluster.api.must('PATCH', path, body, 'application/merge-patch+json');
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: new Date().toISOString() }];
    await merge('/api/v1/nodes/node/status', { status: { conditions } });
    await merge('/api/v1/nodes/node', { metadata: { annotations: { 'volumes.example.com/attached': '1' } } });
    await merge('/api/v1/nodes/node', { metadata: { labels: { 'example.com/disk': 'fast' } } });
    // What comes after them is told, so they have been seen.
    await merge('/api/v1/nodes/node', { metadata: { labels: { 'topology.kubernetes.io/zone': 'west-2' } } });
    await eventually(() => expect(assigned()).toContain('"zone":"west-2"'));
    expect(Number(await bench.metric('meshd_compilations_count'))).toBe(Number(before) + 1);
  });

  test('exports metrics of how many objects of each kind it has, and of the lag', async () => {
    const metric = (name: string, kind: string, group = ''): Promise<string | undefined> =>
      bench.metric(`meshd_registry_${name}{kind="${kind}",group="${group}"}`);
    await eventually(async () => expect(await metric('objects', 'Pod')).toBe('1'));
    expect(await metric('synced', 'AuthorizationPolicy', 'security.mesh.io')).toBe('1');
    expect(await metric('held_objects', 'AuthorizationPolicy', 'security.mesh.io')).toBe('0');
    expect(Number(await metric('lag_seconds', 'Service'))).toBeLessThan(90);
  });

  test('follows endpoints as pods become ready and go', async () => {
    await makePod(cluster, 'other', '10.1.0.9');
    const endpoints = () =>
      stream.seen
        .map(textOf)
        .filter((text) => text.includes('ClusterLoadAssignment'))
        .at(-1);
    await eventually(() => expect(endpoints()).toContain('10.1.0.9'));
    const path = '/api/v1/namespaces/foo/pods/other/status';
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    await cluster.api.must('PATCH', path, { status }, 'application/merge-patch+json');
    await eventually(() => expect(endpoints()).not.toContain('10.1.0.9'));
  });

  test('brings a policy to a proxy, holds its last valid version, and takes it away', async () => {
    await cluster.api.must('POST', policies, deny('/secret'));
    const inbound = () =>
      stream.seen
        .map(textOf)
        .filter((text) => text.includes('virtualInbound'))
        .at(-1) ?? '';
    await eventually(() => expect(inbound()).toContain('/secret'));
    const patch = (body: object) => cluster.api.must('PATCH', `${policies}/deny`, body, 'application/merge-patch+json');
    // The server itself does not see that no request has such a method.
    await patch({ spec: { rules: [{ to: [{ operation: { methods: ['GET, POST'] } }] }] } });
    await eventually(() => expect(bench.logged('error')).toMatch(/AuthorizationPolicy\/foo\/deny.*GET, POST/s));
    expect(inbound()).toContain('/secret');
    await patch(deny('/other'));
    await eventually(() => expect(inbound()).toContain('/other'));
    await cluster.api.must('DELETE', `${policies}/deny`);
    await eventually(() => expect(inbound()).not.toContain('/other'));
  });
});

/** List, name and version, the digest of its bytes, of each resource that the proxy has now. */
function resources({ seen }: RawStream): Map<string, string> {
  const now = new Map<string, string>();
  for (const response of seen as readonly object[] as readonly Delta[]) {
    const list = lists.find((name) => configurationTypes[name].typeUrl === response.type_url);
    for (const { name, version } of response.resources ?? []) now.set(`${list}/${name}`, version);
    for (const name of response.removed_resources ?? []) now.delete(`${list}/${name}`);
  }
  return now;
}

interface Delta {
  readonly type_url: string;
  readonly resources?: readonly { readonly name: string; readonly version: string }[];
  readonly removed_resources?: readonly string[];
}

/** What `kubectl get -A -o yaml` prints of the kinds that are followed. */
async function objectsOf(cluster: Cluster): Promise<string> {
  const names = followedKinds({ slices: false })
    .filter(own)
    .map(({ type }) => (type.group === '' ? type.resource : `${type.resource}.${type.group}`));
  const kubectl = await adminKubectl(cluster);
  return kubectl(['get', '-A', '-o', 'yaml', names.join()]);
}

async function compileOffline(text: string): Promise<{ readonly config: EnvoyConfig }> {
  const bag = new DiagnosticBag();
  const { settings } = await readSettings({ environment: {} }, bag);
  const compiler = createCompiler({ settings, delivery: 'ads' });
  const compilation = compiler.compile([{ path: 'all.yaml', text }], 'all', bag);
  const config = compilation?.configs.find(({ workload }) => workload === 'httpbin');
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('; '));
  return { config };
}

function versionsOf(config: EnvoyConfig): Record<string, string> {
  return Object.fromEntries(
    lists.flatMap((list) => config[list].map((resource) => [`${list}/${resource.name}`, versionOf(resource)])),
  );
}

function versionOf({ type, json }: Resource): string {
  return createHash('sha256').update(encodeMessage(messageTypes[type], json)).digest('hex').slice(0, 16);
}
