import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { type Cluster, startCluster } from '../../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../../testing/kubernetes/definitions.ts';
import { runPod } from '../../../testing/kubernetes/run-pod.ts';
import { ServingBench, textOf } from '../../testing/serving-bench.ts';

describe('meshd, serving a cluster with an object that was never valid', () => {
  let cluster: Cluster;
  let bench: ServingBench | undefined;

  beforeAll(async () => {
    cluster = await startCluster();
    await defineAll(cluster);
    const { api } = cluster;
    await api.must('POST', '/api/v1/namespaces', {
      metadata: { name: 'foo', labels: { 'mesh-injection': 'enabled' } },
    });
    await api.must('POST', '/api/v1/namespaces/foo/serviceaccounts', { metadata: { name: 'httpbin' } });
    await runPod(api, {
      metadata: { name: 'httpbin', namespace: 'foo' },
      spec: { serviceAccountName: 'httpbin', containers: [{ name: 'app', ports: [{ containerPort: 8000 }] }] },
      status: { phase: 'Running', podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] },
    });
    // The server does not know which expressions Envoy takes.
    const http = [{ match: [{ uri: { regex: '(' } }], route: [{ destination: { host: 'httpbin' } }] }];
    await api.must('POST', '/apis/networking.mesh.io/v1/namespaces/foo/virtualservices', {
      ...{ apiVersion: 'networking.mesh.io/v1', kind: 'VirtualService', metadata: { name: 'never' } },
      spec: { hosts: ['httpbin'], http },
    });
  });
  afterEach(async () => {
    await bench?.close();
    bench = undefined;
  });
  afterAll(() => cluster?.close());

  test.each([
    ['configures the proxies without it', true],
    ['lets nothing through at the proxies that it may concern', false],
  ])('%s, if PILOT_ENABLE_CRD_VALIDATION is %s', async (_, leavesOutInvalid) => {
    bench = await ServingBench.create();
    const address = { kubeconfig: cluster.kubeconfig('meshd', cluster.adminToken), context: undefined };
    await bench.start({
      takesAnyAddress: true,
      compile: { source: { type: 'cluster', address, namespaces: [], slices: false }, leavesOutInvalid },
    });
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.subscribe('listeners');
    await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('virtualInbound'));
    expect(textOf(stream.seen.at(-1)).includes('virtualInbound-denied')).toBe(!leavesOutInvalid);
    expect(bench.logged('error')).toMatch(/VirtualService\/foo\/never.*regex/s);
  });
});
