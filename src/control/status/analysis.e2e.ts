import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../testing/kubernetes/definitions.ts';
import { makeSampleMesh } from '../testing/cluster-mesh.ts';
import { ServingBench } from '../testing/serving-bench.ts';
import type { Condition } from './condition.ts';

const times = { durationMs: 2_000, renewWithinMs: 1_200, retryMs: 250 };
const policies = '/apis/security.mesh.io/v1beta1/namespaces/foo/authorizationpolicies';

const deny = (path: string) => ({
  ...{ apiVersion: 'security.mesh.io/v1beta1', kind: 'AuthorizationPolicy', metadata: { name: 'deny' } },
  spec: { action: 'DENY', rules: [{ to: [{ operation: { paths: [path] } }] }] },
});

describe('what lint finds in a Kubernetes cluster', () => {
  let cluster: Cluster;
  let bench: ServingBench;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: ['endpoints-controller'] });
    await defineAll(cluster);
    await makeSampleMesh(cluster);
    await applyInstallation(cluster);
    bench = await ServingBench.create();
    const token = await cluster.accountToken('mesh-system', 'meshd');
    const address = { kubeconfig: cluster.kubeconfig('meshd', token), context: undefined };
    const status = { reconciliation: false, analysis: true, rate: { perSecond: 100, burst: 500 } };
    await bench.start({
      compile: { source: { type: 'cluster', address, namespaces: [], slices: false, status } },
      replica: { address, namespace: 'mesh-system', times },
    });
  });
  afterAll(async () => {
    await bench?.close();
    await cluster?.close();
  });

  test('is written to the object as a condition, with rule and field, and goes with the fault', async () => {
    const linted = async (): Promise<readonly Condition[]> =>
      (await cluster.api.must('GET', `${policies}/deny`)).status?.conditions ?? [];
    await cluster.api.must('POST', policies, deny('/a*b'));
    await eventually(async () => {
      expect(await linted()).toMatchObject([{ type: 'LintPassed', status: 'False', observedGeneration: 1 }]);
    });
    const [finding] = await linted();
    expect(finding?.reason).toBe('StarInsidePath');
    expect(finding?.message).toMatch(/^spec\.rules\[0\]\.to\[0\]\.operation\.paths\[0\]: .*\[star-inside-path\]/);
    await cluster.api.must('PATCH', `${policies}/deny`, deny('/a'), 'application/merge-patch+json');
    await eventually(async () => {
      expect((await linted()).find(({ message }) => message.includes('star-inside-path'))).toBeUndefined();
      expect(await linted()).toMatchObject([{ type: 'LintPassed', observedGeneration: 2 }]);
    });
    expect(bench.logged('warn')).not.toContain('cannot be linted');
  });
});
