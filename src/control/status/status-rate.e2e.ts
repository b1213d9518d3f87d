import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { define } from '../../testing/kubernetes/definitions.ts';
import { type FaultingProxy, startFaultingProxy } from '../../testing/kubernetes/faulting-proxy.ts';
import { makeAccount } from '../../testing/kubernetes/rights.ts';
import { ServingBench } from '../testing/serving-bench.ts';

const policies = '/apis/security.mesh.io/v1beta1/namespaces/foo/authorizationpolicies';
const rate = { perSecond: 2, burst: 3 };
const count = 9;

describe('meshd, writing the status of objects to a real API server', () => {
  let cluster: Cluster;
  let proxy: FaultingProxy;
  let bench: ServingBench;

  beforeAll(async () => {
    cluster = await startCluster();
    proxy = await startFaultingProxy(cluster);
    await define(cluster, { group: 'security.mesh.io', kind: 'AuthorizationPolicy' });
    for (const namespace of ['foo', 'mesh-system']) await makeAccount(cluster, namespace, 'default');
    bench = await ServingBench.create();
  });
  afterAll(async () => {
    await bench?.close();
    await proxy?.close();
    await cluster?.close();
  });

  test('sends no more requests than PILOT_STATUS_BURST and PILOT_STATUS_QPS allow', async () => {
    const spec = { action: 'DENY', rules: [{}] };
    for (let i = 0; i < count; i++) {
      const metadata = { name: `deny-${i}` };
      const object = { apiVersion: 'security.mesh.io/v1beta1', kind: 'AuthorizationPolicy', metadata, spec };
      await cluster.api.must('POST', policies, object);
    }
    const arrivals: number[] = [];
    proxy.fault = ({ method, url = '' }) => {
      if (method === 'PATCH' && url.startsWith(policies)) arrivals.push(performance.now());
      return 'pass';
    };
    const address = { kubeconfig: cluster.kubeconfig('meshd', cluster.adminToken, proxy), context: undefined };
    const status = { reconciliation: true, analysis: false, rate };
    // Whatever keeps a request back only makes it later than it may come.
    const startMs = performance.now();
    await bench.start({
      compile: { source: { type: 'cluster', address, namespaces: [], slices: true, status } },
      replica: { address, namespace: 'mesh-system' },
    });
    await eventually(() => expect(arrivals.length).toBeGreaterThanOrEqual(count));
    for (const [index, ms] of arrivals.entries())
      expect(ms - startMs).toBeGreaterThanOrEqual(((index + 1 - rate.burst) / rate.perSecond) * 1_000);
    await eventually(async () => {
      const { items } = await cluster.api.must('GET', policies);
      const accepted = items.filter((item: { status?: unknown }) =>
        JSON.stringify(item.status)?.includes('"Accepted"'),
      );
      expect(accepted).toHaveLength(count);
    });
  });
});
