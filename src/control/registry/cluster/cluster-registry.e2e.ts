import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { KubernetesApi } from '../../../kubernetes/api.ts';
import { accessOfKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import { tries } from '../../../testing/effort.ts';
import { eventually } from '../../../testing/eventually.ts';
import { type Cluster, startCluster } from '../../../testing/kubernetes/cluster.ts';
import { define, undefine } from '../../../testing/kubernetes/definitions.ts';
import { grant, makeAccount } from '../../../testing/kubernetes/rights.ts';
import { ClusterRegistry, type ClusterRegistryOptions } from './cluster-registry.ts';
import { followedKinds } from './kinds.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const policies = (namespace: string, name = '') =>
  `/apis/security.mesh.io/v1beta1/namespaces/${namespace}/authorizationpolicies/${name}`;

describe('ClusterRegistry, on a real API server', () => {
  let cluster: Cluster;
  const closing: (() => void)[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    await Promise.all(followedKinds({ slices: true }).map(({ type, isCustom }) => isCustom && define(cluster, type)));
  });
  afterAll(() => cluster?.close());
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  function follow(options: Partial<ClusterRegistryOptions> & { readonly token?: string } = {}) {
    const { token = cluster.adminToken, ...rest } = options;
    const path = cluster.kubeconfig(`user${closing.length}`, token);
    const api = new KubernetesApi(accessOfKubeconfig(path, readFileSync(path, 'utf8'), undefined));
    const told = { batches: 0, problems: [] as string[], urgent: 0, endpoints: 0 };
    let files = new Map<string, string>();
    const registry: ClusterRegistry = new ClusterRegistry({
      ...{ api, namespaces: [], slices: true },
      onProblem: (text) => told.problems.push(text),
      ...rest,
    });
    closing.push(() => {
      registry.close();
      api.close();
    });
    void registry.follow(async () => {
      const batch = await registry.look();
      if (batch === undefined) return;
      told.batches++;
      if (batch.isUrgent) told.urgent++;
      if (batch.isEndpoints) told.endpoints++;
      files = new Map(batch.files.map((file) => [file.path, file.text]));
    });
    const paths = (part: string): string[] => [...files.keys()].filter((file) => file.includes(part));
    return { registry, told, paths, text: (file: string) => files.get(file) };
  }

  async function namespace(name: string): Promise<void> {
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name } });
  }

  const policy = (of: string, name: string) =>
    cluster.api.must('POST', policies(of), {
      ...{
        apiVersion: 'security.mesh.io/v1beta1',
        kind: 'AuthorizationPolicy',
        metadata: { name },
        spec: { action: 'DENY', rules: [{}] },
      },
    });

  test('gives all objects once, then each change with its kind', async () => {
    await namespace('plain');
    await policy('plain', 'deny');
    const { told, paths, text } = follow();
    await eventually(() => expect(paths('/plain')).toHaveLength(2));
    expect(told).toMatchObject({ batches: 1, problems: [] });
    const pod = {
      metadata: { name: 'a' },
      spec: { serviceAccountName: 'default', containers: [{ name: 'a', image: 'a' }] },
    };
    await cluster.api.must('POST', '/api/v1/namespaces/plain/serviceaccounts', { metadata: { name: 'default' } });
    await cluster.api.must('POST', '/api/v1/namespaces/plain/pods', pod);
    await eventually(() => expect(paths('Pod/plain/a')).toHaveLength(1));
    expect(told).toMatchObject({ batches: 2, urgent: 1, endpoints: 1 });
    await cluster.api.must(
      'PATCH',
      policies('plain', 'deny'),
      { spec: { action: 'ALLOW' } },
      'application/merge-patch+json',
    );
    const file = 'kubernetes/security.mesh.io/AuthorizationPolicy/plain/deny';
    await eventually(() => expect(text(file)).toContain('ALLOW'));
    expect(told).toMatchObject({ batches: 3, urgent: 2, endpoints: 1 });
    await cluster.api.must('DELETE', policies('plain', 'deny'));
    await eventually(() => expect(text(file)).toBeUndefined());
  });

  test('gives nothing for heartbeats, annotations of other domains and its own status writes', async () => {
    await namespace('beats');
    await policy('beats', 'deny');
    const { told, paths } = follow();
    await eventually(() => expect(paths('/beats')).toHaveLength(2));
    const merge = (path: string, body: object) => cluster.api.must('PATCH', path, body, 'application/merge-patch+json');
    await merge('/api/v1/namespaces/beats', { metadata: { annotations: { heartbeat: '1' } } });
    await merge(`${policies('beats', 'deny')}/status`, {
      status: { conditions: [{ type: 'Accepted', status: 'True' }] },
    });
    await merge(policies('beats', 'deny'), { metadata: { annotations: { 'example.com/seen': '1' } } });
    // What comes after them has been told, so they have been seen.
    await policy('beats', 'marker');
    await eventually(() => expect(paths('/beats')).toHaveLength(3));
    expect(told.batches).toBe(2);
  });

  test('keeps the objects of a definition that is deleted, also when it comes back empty, until they are forgotten', async () => {
    await namespace('defined');
    await policy('defined', 'one');
    await policy('defined', 'two');
    const { registry, told, paths, text } = follow();
    await eventually(() => expect(paths('AuthorizationPolicy/defined')).toHaveLength(2));
    const { batches } = told;
    await undefine(cluster, 'authorizationpolicies.security.mesh.io');
    const held = () =>
      registry.figures.find(({ kind, group }) => kind === 'AuthorizationPolicy' && group === 'security.mesh.io')?.held;
    await eventually(() => expect(held()).toBeGreaterThanOrEqual(2));
    expect(paths('AuthorizationPolicy/defined')).toHaveLength(2);
    const type = { group: 'security.mesh.io', kind: 'AuthorizationPolicy' };
    await define(cluster, type);
    await policy('defined', 'two');
    await cluster.api.must(
      'PATCH',
      policies('defined', 'two'),
      { spec: { action: 'ALLOW' } },
      'application/merge-patch+json',
    );
    await eventually(() =>
      expect(text('kubernetes/security.mesh.io/AuthorizationPolicy/defined/two')).toContain('ALLOW'),
    );
    expect(paths('AuthorizationPolicy/defined')).toHaveLength(2);
    // A wish again: the definition is there, and younger than none of what goes.
    await cluster.api.must('DELETE', policies('defined', 'two'));
    await eventually(() => expect(paths('AuthorizationPolicy/defined/two')).toEqual([]));
    expect(paths('AuthorizationPolicy/defined')).toHaveLength(1);
    expect(registry.forget('AuthorizationPolicy')).toBeGreaterThanOrEqual(1);
    await eventually(() => expect(paths('AuthorizationPolicy/defined')).toEqual([]));
    expect(told.batches).toBeGreaterThan(batches);
  });

  test('keeps the previous objects of a kind that the API server does not serve', async () => {
    const path = 'kubernetes/security.istio.io/AuthorizationPolicy/foo/deny';
    await undefine(cluster, 'authorizationpolicies.security.istio.io');
    const { paths, registry } = follow({ known: [{ path, text: '{"metadata":{}}' }] });
    await eventually(() => expect(registry.figures.every(({ hasSynced }) => hasSynced)).toBe(true));
    await eventually(() => expect(paths('security.istio.io/AuthorizationPolicy')).toEqual([path]));
  });

  test('gives nothing while a definition does not serve the version that is read, and then its objects', async () => {
    const name = 'requestauthentications.security.istio.io';
    const { spec } = await cluster.api.must('GET', `${definitions}/${name}`);
    const versionsWith = (served: boolean) =>
      spec.versions.map((version: { readonly name: string }) =>
        version.name === 'v1beta1' ? { ...version, served } : version,
      );
    const serve = (served: boolean) =>
      cluster.api.must(
        'PATCH',
        `${definitions}/${name}`,
        { spec: { versions: versionsWith(served) } },
        'application/merge-patch+json',
      );
    await namespace('versions');
    await serve(false);
    const path = '/apis/security.istio.io/v1beta1/requestauthentications';
    await eventually(async () => expect((await cluster.api.ask('GET', path)).status).toBe(404));
    const { told, paths } = follow();
    await eventually(() =>
      expect(told.problems).toContainEqual(
        `RequestAuthentication of security.istio.io is not followed now: the CustomResourceDefinition ${name} must serve the version v1beta1, and serves v1, v1alpha3: add it to spec.versions`,
      ),
    );
    expect(told.batches).toBe(0);
    await serve(true);
    await eventually(() => expect(paths('Namespace/versions')).toHaveLength(1));
  });

  test('gives nothing while the right to read policies is missing, and keeps all objects when it is revoked', async () => {
    await namespace('rights');
    await cluster.api.must('POST', '/api/v1/namespaces/rights/serviceaccounts', { metadata: { name: 'meshd' } });
    const token = await cluster.accountToken('rights', 'meshd');
    const { told, paths, registry } = follow({ token });
    await eventually(() => expect(told.problems.some((text) => /AuthorizationPolicy.*403/.test(text))).toBe(true));
    expect(told.batches).toBe(0);
    const role = { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }] };
    const rights = '/apis/rbac.authorization.k8s.io/v1';
    await cluster.api.must('POST', `${rights}/clusterroles`, { metadata: { name: 'meshd' }, ...role });
    const subjects = [{ kind: 'ServiceAccount', name: 'meshd', namespace: 'rights' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'meshd' };
    await cluster.api.must('POST', `${rights}/clusterrolebindings`, { metadata: { name: 'meshd' }, subjects, roleRef });
    await eventually(() => expect(paths('Namespace/rights')).toHaveLength(1));
    await cluster.api.must('DELETE', `${rights}/clusterrolebindings/meshd`);
    // The watches that run go on; after the server's next start none does.
    await cluster.server.kill();
    cluster.server.start();
    await cluster.ready();
    await eventually(() => expect(registry.figures.every(({ problem }) => problem?.includes('403'))).toBe(true));
    expect(paths('Namespace/rights')).toHaveLength(1);
  });

  test('does not wait for nodes without the right to read them, reports that, and follows them once it has the right', async () => {
    await namespace('machines');
    await makeAccount(cluster, 'machines', 'meshd');
    const all = { apiGroups: ['*'], verbs: ['get', 'list', 'watch'] };
    const resources = followedKinds({ slices: true }).map(({ type }) => type.resource);
    // Of a kind that is not served, the definition says whether there may be objects.
    const most = [...resources.filter((name) => name !== 'nodes'), 'customresourcedefinitions'];
    const rest = ['nodes'];
    await grant(cluster, 'machines/meshd', { name: 'most', rules: [{ ...all, resources: most }] });
    await cluster.api.must('POST', '/api/v1/nodes', { metadata: { name: 'one' } });
    const { told, paths } = follow({ token: await cluster.accountToken('machines', 'meshd') });
    await eventually(() => expect(paths('Namespace/machines')).toHaveLength(1));
    expect(told.problems).toContainEqual(expect.stringMatching(/^Node is not followed now: .*403/));
    await grant(cluster, 'machines/meshd', { name: 'rest', rules: [{ ...all, resources: rest }] });
    await eventually(() => expect(paths('Node/one')).toHaveLength(1));
  });

  const burst = tries(1_000, 5);
  test(`reads ${burst} pods that are created at once, and has all of them at the end`, async () => {
    await namespace('burst');
    await cluster.api.must('POST', '/api/v1/namespaces/burst/serviceaccounts', { metadata: { name: 'default' } });
    const { told, paths, registry } = follow();
    await eventually(() => expect(registry.figures.every(({ hasSynced }) => hasSynced)).toBe(true));
    const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'a', image: 'a' }] } });
    const names = Array.from({ length: burst }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => cluster.api.must('POST', '/api/v1/namespaces/burst/pods', pod(name))));
    await eventually(() => expect(paths('Pod/burst')).toHaveLength(burst));
    expect(told.batches).toBeLessThan(burst / 2);
  });

  test('follows the named namespaces alone', async () => {
    await namespace('inside');
    await namespace('outside');
    await policy('inside', 'a');
    await policy('outside', 'b');
    const { paths } = follow({ namespaces: ['inside'] });
    await eventually(() =>
      expect(paths('AuthorizationPolicy')).toEqual(['kubernetes/security.mesh.io/AuthorizationPolicy/inside/a']),
    );
    expect(paths('kubernetes/Namespace/')).toEqual(['kubernetes/Namespace/inside']);
  });
});
