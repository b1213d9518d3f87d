import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KubernetesApi } from '../../kubernetes/api.ts';
import { accessOfKubeconfig } from '../../kubernetes/kubeconfig.ts';
import { eventually } from '../../testing/eventually.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { type Grant, grant, makeAccount, revoke } from '../../testing/kubernetes/rights.ts';
import { RootPublisher } from './root-publisher.ts';

const name = 'istio-ca-root-cert';
const following: Grant = {
  name: 'namespaces',
  rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] }],
};
const rules = [
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [name], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
];
const writing: Grant = { name: 'roots', rules };

describe('the roots of the mesh in each namespace, on a real API server', () => {
  let cluster: Cluster;
  let roots: string;
  let lines: string[];
  let holds: boolean;
  let publisher: RootPublisher;
  const ending: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    await makeAccount(cluster, 'mesh-system', 'meshd');
    await grant(cluster, 'mesh-system/meshd', following);
    await grant(cluster, 'mesh-system/meshd', writing);
  });
  afterAll(() => cluster?.close());
  beforeEach(() => {
    lines = [];
    roots = `root ${Math.random()}`;
    holds = true;
  });
  afterEach(async () => {
    for (const end of ending.splice(0)) await end();
  });

  async function publish(namespaces: readonly string[] = []): Promise<void> {
    const file = cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd'));
    const api = new KubernetesApi(accessOfKubeconfig(file, readFileSync(file, 'utf8'), undefined));
    const told = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
    const log = { debug: () => undefined, info: told, warn: told, error: told };
    publisher = new RootPublisher({ api, namespaces, roots: () => roots, log });
    const term = new AbortController();
    const running = publisher.run({
      signal: term.signal,
      get holds() {
        return holds;
      },
    });
    ending.push(async () => {
      term.abort();
      await running;
      api.close();
    });
  }

  const make = (namespace: string) => cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
  const rootOf = async (namespace: string): Promise<string | undefined> =>
    (await cluster.api.ask('GET', path(namespace))).body.data?.['root-cert.pem'];
  const published = (...namespaces: readonly string[]) =>
    eventually(async () => expect(await Promise.all(namespaces.map(rootOf))).toEqual(namespaces.map(() => roots)));
  const merge = (namespace: string, body: object) =>
    cluster.api.must('PATCH', path(namespace), body, 'application/merge-patch+json');

  test('are written into existing and new namespaces, and follow changes of the roots', async () => {
    await make('one');
    await publish();
    await published('one', 'default', 'kube-system', 'mesh-system');
    await make('two');
    await published('two');
    expect((await cluster.api.must('GET', path('two'))).metadata.labels).toEqual({ 'istio.io/config': 'true' });
    roots += ' and another';
    publisher.changed();
    await published('one', 'two', 'default');
    await eventually(() => expect(publisher.pending).toBe(0));
    expect(lines).toEqual([]);
  });

  test('are restored after somebody changed or deleted them, and leave other keys as they are', async () => {
    await make('edited');
    await publish();
    await published('edited');
    await merge('edited', { data: { 'root-cert.pem': 'evil', own: 'kept' } });
    await published('edited');
    await merge('edited', { metadata: { labels: { 'istio.io/config': null } } });
    const labels = async () => (await cluster.api.must('GET', path('edited'))).metadata.labels;
    await eventually(async () => expect(await labels()).toEqual({ 'istio.io/config': 'true' }));
    await merge('edited', { data: { 'root-cert.pem': null } });
    await published('edited');
    expect((await cluster.api.must('GET', path('edited'))).data.own).toBe('kept');
    await cluster.api.must('DELETE', path('edited'));
    await published('edited');
  });

  test('are not written into a namespace that is being deleted', async () => {
    await make('ending');
    await publish();
    await published('ending');
    // Without its controller it stays so.
    await cluster.api.must('DELETE', '/api/v1/namespaces/ending');
    await cluster.api.must('DELETE', path('ending'));
    await make('after');
    await published('after');
    await eventually(() => expect(publisher.pending).toBe(0));
    expect(lines).toEqual([]);
  });

  test('are written once the right is granted, and the namespace is reported meanwhile', async () => {
    await revoke(cluster, writing);
    await grant(cluster, 'mesh-system/meshd', {
      name: 'roots',
      rules: rules.map((rule) => ({ ...rule, verbs: ['list', 'watch'] })),
    });
    await publish();
    await make('refused');
    await eventually(() => expect(lines.join()).toMatch(/cannot be written.*"namespace":"refused".*403/));
    expect(publisher.pending).toBeGreaterThan(0);
    await revoke(cluster, writing);
    await grant(cluster, 'mesh-system/meshd', writing);
    await published('refused', 'default');
    await eventually(() => expect(publisher.pending).toBe(0));
  });

  test('are not written by a replica whose term is over', async () => {
    await publish();
    await published('default');
    holds = false;
    await merge('default', { data: { 'root-cert.pem': 'other' } });
    await make('late');
    await eventually(() => expect(publisher.pending).toBe(2));
    expect([await rootOf('late'), await rootOf('default')]).toEqual([undefined, 'other']);
  });

  test('are written into the watched namespaces alone, with rights in those', async () => {
    await make('inside');
    await make('outside');
    await revoke(cluster, writing);
    await grant(cluster, 'mesh-system/meshd', { ...writing, namespace: 'inside' });
    await publish(['inside']);
    await published('inside');
    await merge('inside', { data: { 'root-cert.pem': 'other' } });
    await published('inside');
    expect(await rootOf('outside')).not.toBe(roots);
    expect(lines).toEqual([]);
  });
});
