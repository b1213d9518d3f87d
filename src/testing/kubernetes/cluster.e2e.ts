import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Cluster, startCluster, usualControllers } from './cluster.ts';

describe('startCluster', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: usualControllers });
  });
  afterAll(() => cluster?.close());

  test('gives an API server whose controllers complete a namespace, and tokens of its accounts', async () => {
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: 'foo' } });
    const account = '/api/v1/namespaces/foo/serviceaccounts/default';
    await eventually(async () => expect((await cluster.api.ask('GET', account)).status).toBe(200));
    const token = await cluster.accountToken('foo', 'default', ['mesh-ca']);
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences: ['mesh-ca'] },
    };
    const { status } = await cluster.api.must('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    expect(status).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:foo:default' } });
  });

  test('keeps its objects over a server that is killed and started again', async () => {
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: 'kept' } });
    await cluster.server.kill();
    cluster.server.start();
    await cluster.ready();
    expect((await cluster.api.ask('GET', '/api/v1/namespaces/kept')).status).toBe(200);
  });
});
