import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KubernetesApi } from '../../../kubernetes/api.ts';
import { accessOfKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import { eventually } from '../../../testing/eventually.ts';
import { type Cluster, startCluster } from '../../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../../testing/kubernetes/definitions.ts';
import { grant, makeAccount, revoke } from '../../../testing/kubernetes/rights.ts';
import { ClusterRegistry } from './cluster-registry.ts';
import { followedKinds } from './kinds.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const gateways = '/apis/networking.mesh.io/v1beta1/namespaces/shop/gateways';
const rightTo = (...names: readonly string[]) => ({
  ...{ name: 'gateway-secrets', namespace: 'edge' },
  rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: names, verbs: ['list', 'watch'] }],
});

describe('Secrets of gateways in a cluster, by a Role that names them', () => {
  let cluster: Cluster;
  let api: KubernetesApi;
  let registry: ClusterRegistry;
  const problems: string[] = [];
  let files = new Map<string, string>();
  let batches = 0;

  beforeAll(async () => {
    cluster = await startCluster();
    await defineAll(cluster);
    await makeAccount(cluster, 'mesh-system', 'meshd');
    await makeAccount(cluster, 'edge', 'default');
    await makeAccount(cluster, 'shop', 'default');
    const resources = followedKinds({ slices: true }).map(({ type }) => type.resource);
    const verbs = ['get', 'list', 'watch'];
    const rules = [{ apiGroups: ['*'], resources: [...resources, 'customresourcedefinitions'], verbs }];
    await grant(cluster, 'mesh-system/meshd', { name: 'meshd', rules });
    await grant(cluster, 'mesh-system/meshd', rightTo('cert', 'cert-cacert'));
    const containers = [{ name: 'proxy', image: 'proxy' }];
    const pod = { metadata: { name: 'edge', labels: { app: 'edge' } }, spec: { containers } };
    await cluster.api.must('POST', '/api/v1/namespaces/edge/pods', pod);
    await secret('cert', { 'tls.crt': 'first', 'tls.key': 'key', note: 'not read' }, 'kubernetes.io/tls');
    await makeGateway('web', 'cert');
    const path = cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd'));
    api = new KubernetesApi(accessOfKubeconfig(path, readFileSync(path, 'utf8'), undefined));
    const onProblem = (text: string) => void problems.push(text);
    registry = new ClusterRegistry({ api, namespaces: [], slices: true, onProblem });
    void registry.follow(async () => {
      const batch = await registry.look();
      if (batch === undefined) return;
      batches++;
      files = new Map(batch.files.map((file) => [file.path, file.text]));
    });
    await eventually(() => expect(batches).toBe(1));
  });
  afterAll(async () => {
    registry?.close();
    api?.close();
    await cluster?.close();
  });

  function secret(name: string, texts: Readonly<Record<string, string>>, type = 'Opaque', namespace = 'edge') {
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64(text)]));
    return cluster.api.must('POST', `/api/v1/namespaces/${namespace}/secrets`, { metadata: { name }, type, data });
  }

  function makeGateway(name: string, credentialName: string, mode = 'SIMPLE') {
    const port = { number: 443, name: 'https', protocol: 'HTTPS' };
    const servers = [{ port, hosts: ['example.com'], tls: { mode, credentialName } }];
    const head = { apiVersion: 'networking.mesh.io/v1beta1', kind: 'Gateway', metadata: { name } };
    return cluster.api.must('POST', gateways, { ...head, spec: { selector: { app: 'edge' }, servers } });
  }

  const dataOf = (name: string) => {
    const text = files.get(`kubernetes/Secret/edge/${name}`);
    return text === undefined ? undefined : JSON.parse(text).data;
  };
  const names = () => [...files.keys()].filter((path) => path.includes('/Secret/'));

  test('are among the first objects, with only the keys that are read', () => {
    expect(dataOf('cert')).toEqual({ 'tls.crt': base64('first'), 'tls.key': base64('key') });
    expect(problems.filter((problem) => problem.includes('Secret'))).toEqual([]);
  });

  test('are followed as they change, and as long as a Gateway names them', async () => {
    await secret('unnamed', { 'tls.crt': 'x' });
    const patch = { data: { 'tls.crt': base64('second') } };
    await cluster.api.must('PATCH', '/api/v1/namespaces/edge/secrets/cert', patch, 'application/merge-patch+json');
    await eventually(() => expect(dataOf('cert')?.['tls.crt']).toBe(base64('second')));
    expect(names()).toEqual(['kubernetes/Secret/edge/cert']);
    await cluster.api.must('DELETE', `${gateways}/web`);
    await eventually(() => expect(names()).toEqual([]));
    await makeGateway('web', 'cert');
    await eventually(() => expect(names()).toEqual(['kubernetes/Secret/edge/cert']));
  });

  test('are reported by name if the right is missing, delay nothing else, and are read once it is granted', async () => {
    await secret('other', { cert: 'c', key: 'k' });
    await makeGateway('second', 'other');
    const told =
      /^the Secret edge\/other, which a Gateway names, is not followed now: .*403.*secrets "other" is forbidden/;
    await eventually(() => expect(problems).toContainEqual(expect.stringMatching(told)));
    expect(registry.figures.find(({ kind }) => kind === 'Secret')?.problem).toMatch(/403/);
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: 'goes-on' } });
    await eventually(() => expect([...files.keys()]).toContain('kubernetes/Namespace/goes-on'));
    await revoke(cluster, rightTo());
    await grant(cluster, 'mesh-system/meshd', rightTo('cert', 'cert-cacert', 'other'));
    await eventually(() => expect(dataOf('other')).toEqual({ cert: base64('c'), key: base64('k') }));
  });

  test('of other types are not read', async () => {
    const path = '/api/v1/namespaces/edge/secrets/cert-cacert';
    const data = { username: base64('u'), password: base64('p'), 'tls.key': base64('k') };
    await cluster.api.must('POST', path.replace('/cert-cacert', ''), {
      ...{ metadata: { name: 'cert-cacert' }, type: 'kubernetes.io/basic-auth', data },
    });
    await cluster.api.must('DELETE', `${gateways}/web`);
    await makeGateway('web', 'cert', 'MUTUAL');
    await eventually(() => expect(names()).toContain('kubernetes/Secret/edge/cert-cacert'));
    expect(dataOf('cert-cacert')).toEqual({});
  });
});
