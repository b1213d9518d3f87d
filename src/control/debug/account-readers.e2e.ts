import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster, usualControllers } from '../../testing/kubernetes/cluster.ts';
import { grant, makeAccount } from '../../testing/kubernetes/rights.ts';
import { makeSampleMesh } from '../testing/cluster-mesh.ts';
import { ServingBench } from '../testing/serving-bench.ts';

const reading = [{ apiGroups: ['debug.mesh.io'], resources: ['proxies'], verbs: ['get'] }];
const dump = '/debug/config_dump?proxy=foo/httpbin';
const absent = { error: 'there is no such proxy' };

describe('the debug answers of meshd on a Kubernetes cluster', () => {
  let cluster: Cluster;
  let bench: ServingBench;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: [...usualControllers, 'endpoints-controller'] });
    await applyInstallation(cluster);
    await makeSampleMesh(cluster);
    for (const account of ['one', 'all', 'none']) await makeAccount(cluster, 'ops', account);
    await grant(cluster, 'ops/one', { name: 'reads-foo', namespace: 'foo', rules: reading });
    await grant(cluster, 'ops/all', { name: 'reads-all', rules: reading });
    bench = await ServingBench.create();
    const kubeconfig = cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd'));
    const address = { kubeconfig, context: undefined };
    await bench.start({
      takesAnyAddress: true,
      compile: { source: { type: 'cluster', address, namespaces: [], slices: false } },
      replica: { address, namespace: 'mesh-system' },
    });
    const stream = bench.open(await bench.identity('foo/httpbin'));
    for (const list of ['clusters', 'listeners'] as const) stream.subscribe(list);
    await eventually(() => expect(stream.seen.length).toBe(2));
  });
  afterAll(async () => {
    await bench?.close();
    await cluster?.close();
  });

  const tokenOf = (account: string, audience = 'mesh-debug') => cluster.accountToken('ops', account, [audience]);

  function ask(path: string, token: string): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
    return new Promise((resolve, reject) => {
      const sent = request({
        ...{ host: '127.0.0.1', port: bench.control.debugPort, path, agent: false },
        ...{ ca: bench.root, servername: 'meshd.mesh-system.svc', headers: { authorization: `Bearer ${token}` } },
      });
      sent.on('response', async (answer) =>
        resolve({ status: answer.statusCode, body: JSON.parse(await text(answer)) }),
      );
      sent.on('error', reject).end();
    });
  }
  const proxies = [expect.objectContaining({ proxy: 'foo/httpbin' })];

  test('show an account the proxies of the namespaces that it may read, and of others as if they did not exist', async () => {
    const token = await tokenOf('one');
    expect(await ask(dump, token)).toMatchObject({ status: 200, body: { proxy: 'foo/httpbin' } });
    expect(await ask('/debug/syncz?namespace=foo', token)).toMatchObject({ status: 200, body: { proxies } });
    // Without a word it is its own namespace, which it may not read.
    expect(await ask('/debug/syncz', token)).toMatchObject({ status: 200, body: { proxies: [] } });
    expect((await ask('/debug/status', token)).status).toBe(404);
    const none = await tokenOf('none');
    expect(await ask(dump, none)).toEqual({ status: 404, body: absent });
    expect(await ask('/debug/syncz?namespace=foo', none)).toMatchObject({ body: { proxies: [] } });
  });

  test('show everything to an account that may read all namespaces', async () => {
    const token = await tokenOf('all');
    expect(await ask('/debug/syncz', token)).toMatchObject({ status: 200, body: { proxies } });
    expect((await ask('/debug/status', token)).status).toBe(200);
  });

  test('are closed to a token of another audience, to one of a deleted account, and to one that is made up', async () => {
    for (const audience of ['mesh-ca', 'https://kubernetes.default.svc'])
      expect((await ask(dump, await tokenOf('all', audience))).status).toBe(401);
    await makeAccount(cluster, 'ops', 'gone');
    const token = await tokenOf('gone');
    await cluster.api.must('DELETE', '/api/v1/namespaces/ops/serviceaccounts/gone');
    // Until the API server itself has seen that the account is gone, it is an account without rights.
    const answers = new Set<number | undefined>();
    await eventually(
      async () => {
        const { status } = await ask(dump, token);
        answers.add(status);
        expect(status).toBe(401);
      },
      { interval: 500 },
    );
    expect(answers).not.toContain(200);
    const [head, claims] = (await tokenOf('all')).split('.');
    expect((await ask(dump, `${head}.${claims}.${'A'.repeat(86)}`)).status).toBe(401);
    expect(bench.logged('warn')).toContain('the API server does not accept the token');
    expect(bench.logged('warn')).not.toContain(claims);
  });

  test('are still open to a token of the issuer that names namespaces', async () => {
    const claims = { sub: 'ops@example.com', aud: 'mesh-debug', debug_namespaces: ['foo'] };
    const token = await bench.control.mint.mint('foo/httpbin', { claims });
    expect((await ask(dump, token)).status).toBe(200);
  });
});
