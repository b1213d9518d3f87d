import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { type Cluster, startCluster, usualControllers } from '../../../testing/kubernetes/cluster.ts';
import { define } from '../../../testing/kubernetes/definitions.ts';
import { type FaultingProxy, startFaultingProxy } from '../../../testing/kubernetes/faulting-proxy.ts';
import { makePod, makeSampleMesh } from '../../testing/cluster-mesh.ts';
import { ServingBench } from '../../testing/serving-bench.ts';

const policies = '/apis/security.mesh.io/v1beta1/namespaces/foo/authorizationpolicies';
const endpoints = '/api/v1/namespaces/foo/endpoints/httpbin';
const ofPolicies = /^\/apis\/security\.mesh\.io\//;
const ofServices = /^\/api\/v1\/(services|pods|endpoints)\b/;
const servicesMs = 2_000;

describe('meshd, whose API server does not answer for some kinds', () => {
  let cluster: Cluster;
  let proxy: FaultingProxy;
  let bench: ServingBench;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: [...usualControllers, 'endpoints-controller'] });
    proxy = await startFaultingProxy(cluster);
    await define(cluster, { group: 'security.mesh.io', kind: 'AuthorizationPolicy' });
    await makeSampleMesh(cluster);
    await makePod(cluster, 'other', '10.1.0.9');
    await untilRecorded(2);
    bench = await ServingBench.create();
  });
  afterAll(async () => {
    await bench?.close();
    await proxy?.close();
    await cluster?.close();
  });

  /** Until the controller of Endpoints has so many addresses. */
  const untilRecorded = (count: number): Promise<void> =>
    eventually(async () =>
      expect((await cluster.api.must('GET', endpoints)).subsets?.[0]?.addresses).toHaveLength(count),
    );

  async function start(): Promise<void> {
    const address = { kubeconfig: cluster.kubeconfig('meshd', cluster.adminToken, proxy), context: undefined };
    const source = { type: 'cluster', address, namespaces: [], slices: false, servicesMs };
    await bench.start({ takesAnyAddress: true, compile: { source, stateFolder: bench.path('state') } });
  }

  /** Lists and watches of these paths fail. */
  function fail(...paths: readonly RegExp[]): void {
    proxy.fault = ({ url = '' }) => (paths.some((path) => path.test(url)) ? { status: 503 } : 'pass');
  }

  const ready = async () => {
    const answer = await fetch(`${bench.control.monitoring}/healthz/ready`);
    return { status: answer.status, text: await answer.text() };
  };
  const served = (): Promise<string> => bench.debug('/debug/config_dump?proxy=foo/httpbin');

  test('serves nothing without the policies; after 60 s it serves without services, and removes none of the previous ones', async () => {
    await start();
    await eventually(async () => expect(await served()).toMatch(/10\.1\.0\.1.*10\.1\.0\.9/s));
    await bench.control.stop();
    await cluster.api.must('DELETE', '/api/v1/namespaces/foo/pods/other?gracePeriodSeconds=0');
    await untilRecorded(1);
    const spec = { action: 'DENY', rules: [{ to: [{ operation: { paths: ['/late'] } }] }] };
    const policy = { apiVersion: 'security.mesh.io/v1beta1', kind: 'AuthorizationPolicy', metadata: { name: 'deny' } };
    await cluster.api.must('POST', policies, { ...policy, spec });

    fail(ofPolicies, ofServices);
    await start();
    const startedMs = performance.now();
    await eventually(async () => {
      expect(performance.now() - startedMs).toBeGreaterThan(servicesMs + 1_000);
      const { status, text } = await ready();
      expect(status).toBe(503);
      expect(text).toMatch(/^no configuration is compiled yet; these objects are not known yet: /);
      for (const kind of ['AuthorizationPolicy.security.mesh.io', 'Service', 'Pod', 'Endpoints'])
        expect(text).toContain(` ${kind} (GET `);
      // It is known.
      expect(text).not.toContain('Namespace (');
    });
    expect(JSON.parse(await served())).toEqual({ error: 'there is no such proxy' });

    fail(ofServices);
    await eventually(async () => expect(await served()).toMatch(/"\/late"/));
    expect(await served()).toMatch(/10\.1\.0\.1.*10\.1\.0\.9/s);
    expect(await ready()).toEqual({ status: 200, text: '' });

    fail();
    await eventually(async () => expect(await served()).not.toContain('10.1.0.9'));
    expect(await served()).toContain('10.1.0.1');
    expect(await served()).toMatch(/"\/late"/);
  });
});
