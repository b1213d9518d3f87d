import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { ReplicaProcess } from '../testing/replica-processes.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const webhook = {
  ...{ name: 'a.example.com', clientConfig: { url: 'https://127.0.0.1:1/' }, sideEffects: 'None' },
  ...{ admissionReviewVersions: ['v1'], failurePolicy: 'Ignore', rules: [] },
};

describe('meshd with webhooks of other names', () => {
  let cluster: Cluster;
  let meshd: ReplicaProcess;

  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: 'mesh-system' } });
    const [secure = 0, monitoring = 0, port = 0] = await freePorts(3);
    meshd = new ReplicaProcess({
      ...{ folder: join(cluster.folder, 'meshd'), ports: { secure, monitoring } },
      kubeconfig: cluster.kubeconfig('meshd', cluster.adminToken),
      environment: { INJECTION_WEBHOOK_CONFIG_NAME: 'own-injector' },
      flags: ['--webhookAddr', `127.0.0.1:${port}`, '--validationWebhook', 'own-validator', '--revision', 'canary'],
    });
    await meshd.start();
  });
  afterAll(async () => {
    await meshd?.end('SIGKILL');
    await cluster?.close();
  });

  test('keeps the configurations that it is told of, under their names, and no others', async () => {
    const { api } = cluster;
    const all = [
      ['mutatingwebhookconfigurations', 'own-injector'],
      ['mutatingwebhookconfigurations', 'mesh-sidecar-injector'],
      ['validatingwebhookconfigurations', 'own-validator'],
      ['validatingwebhookconfigurations', 'mesh-validator'],
    ] as const;
    for (const [kind, name] of all)
      await api.must('POST', `${group}/${kind}`, { metadata: { name }, webhooks: [webhook] });
    const hasRoots = async () =>
      Promise.all(
        all.map(async ([kind, name]) => {
          const { webhooks } = await api.must('GET', `${group}/${kind}/${name}`);
          return webhooks[0].clientConfig.caBundle !== undefined;
        }),
      );
    await eventually(async () => expect(await hasRoots()).toEqual([true, false, true, false]));
    const lease = '/apis/coordination.k8s.io/v1/namespaces/mesh-system/leases/meshd-webhooks-canary';
    expect((await api.ask('GET', lease)).status).toBe(200);
    // Nothing asks us by these, so that neither may say Fail.
    const { webhooks } = await api.must('GET', `${group}/validatingwebhookconfigurations/own-validator`);
    expect(webhooks[0].failurePolicy).toBe('Ignore');
  });
});
