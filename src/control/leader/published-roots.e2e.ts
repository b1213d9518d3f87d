import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { makeAccount } from '../../testing/kubernetes/rights.ts';
import { ControlBench } from '../testing/control-bench.ts';
import { createTestRequest } from '../testing/signing-requests.ts';

const configMap = '/api/v1/namespaces/foo/configmaps/istio-ca-root-cert';

describe('two meshd on a Kubernetes cluster, with the rights of their account', () => {
  let cluster: Cluster;
  const benches: ControlBench[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    await applyInstallation(cluster);
    await makeAccount(cluster, 'foo', 'httpbin');
    const kubeconfig = cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd'));
    for (let replica = 0; replica < 2; replica++) {
      const bench = await ControlBench.create();
      benches.push(bench);
      await bench.start((config) => ({
        ...config,
        replica: { address: { kubeconfig, context: undefined }, namespace: 'mesh-system' },
        rootNamespaces: [],
        authority: {
          ...config.authority!,
          ...{ folder: undefined, tokens: undefined, reviews: { audiences: ['mesh-ca'], isFirstParty: false } },
        },
      }));
    }
  });
  afterAll(async () => {
    for (const bench of benches) await bench.close();
    await cluster?.close();
  });

  test('give a workload that has only the ConfigMap and its token a certificate under one root', async () => {
    const root = await eventually(async () => {
      const { data } = await cluster.api.must('GET', configMap);
      return data['root-cert.pem'] as string;
    });
    const token = await cluster.accountToken('foo', 'httpbin', ['mesh-ca']);
    for (const bench of benches) {
      const { chain } = await bench.call(root, { csr: (await createTestRequest()).csr, token });
      const leaf = new X509Certificate(chain[0] ?? '');
      expect(leaf.verify(new X509Certificate(root).publicKey)).toBe(true);
      expect(leaf.subjectAltName).toBe('URI:spiffe://cluster.local/ns/foo/sa/httpbin');
    }
    expect(benches.flatMap(({ lines }) => lines.filter(({ level }) => level === 'error'))).toEqual([]);
  });
});
