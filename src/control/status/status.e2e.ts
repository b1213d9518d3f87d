import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { defineAll, defineIstioKind } from '../../testing/kubernetes/definitions.ts';
import { adminKubectl } from '../../testing/kubernetes/kubectl.ts';
import { makeSampleMesh } from '../testing/cluster-mesh.ts';
import { type RawStream, ServingBench, textOf } from '../testing/serving-bench.ts';
import type { Condition } from './condition.ts';

const times = { durationMs: 2_000, renewWithinMs: 1_200, retryMs: 250 };
const istioGroup = 'security.istio.io';
const policies = (group = 'security.mesh.io') => `/apis/${group}/v1beta1/namespaces/foo/authorizationpolicies`;
const merge = 'application/merge-patch+json';

/** A policy that denies a path to all workloads of foo. */
const deny = (name: string, path: string, group = 'security.mesh.io') => ({
  ...{ apiVersion: `${group}/v1beta1`, kind: 'AuthorizationPolicy', metadata: { name } },
  spec: { action: 'DENY', rules: [{ to: [{ operation: { paths: [path] } }] }] },
});

/** What no API server knows to be wrong. */
const wrong = (address: string) => ({
  spec: { action: 'DENY', rules: [{ when: [{ key: 'source.ip', values: [address] }] }] },
});

describe('the status of objects in a Kubernetes cluster', () => {
  let cluster: Cluster;
  let bench: ServingBench;
  let stream: RawStream;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: ['endpoints-controller'] });
    await defineAll(cluster);
    const istio = { group: istioGroup, kind: 'AuthorizationPolicy', resource: 'authorizationpolicies' };
    await defineIstioKind(cluster, istio);
    await makeSampleMesh(cluster);
    await applyInstallation(cluster);
    bench = await ServingBench.create();
    const token = await cluster.accountToken('mesh-system', 'meshd');
    const address = { kubeconfig: cluster.kubeconfig('meshd', token), context: undefined };
    const status = { reconciliation: true, analysis: false, rate: { perSecond: 100, burst: 500 } };
    // Addresses of loopback are no endpoints to Kubernetes, so that the test cannot come from its pod's.
    await bench.start({
      takesAnyAddress: true,
      compile: { source: { type: 'cluster', address, namespaces: [], slices: false, status } },
      replica: { address, namespace: 'mesh-system', times },
    });
    stream = bench.open(await bench.identity('foo/httpbin'));
    for (const list of ['clusters', 'listeners'] as const) stream.subscribe(list);
    await eventually(() => expect(stream.seen.length).toBe(2));
  });
  afterAll(async () => {
    await bench?.close();
    await cluster?.close();
  });

  const objectAt = (name: string, group?: string) => cluster.api.must('GET', `${policies(group)}/${name}`);
  async function conditionsAt(name: string, group?: string): Promise<Record<string, Condition>> {
    const { status } = await objectAt(name, group);
    const conditions: readonly Condition[] = status?.conditions ?? [];
    return Object.fromEntries(conditions.map((condition) => [condition.type, condition]));
  }
  const patch = (name: string, body: object) => cluster.api.must('PATCH', `${policies()}/${name}`, body, merge);
  const compilations = () => bench.metric('meshd_compilations_count');
  const writes = () => bench.metric('meshd_status_writes_count{result="done"}');

  test('says that an object is accepted, and once the proxy has acknowledged it that all proxies have its version', async () => {
    await cluster.api.must('POST', policies(), deny('first', '/first'));
    await eventually(async () => {
      const { Accepted, Distributed } = await conditionsAt('first');
      expect(Accepted).toMatchObject({ status: 'True', reason: 'Valid', observedGeneration: 1 });
      expect(Distributed).toMatchObject({ status: 'True', reason: 'AllProxies', observedGeneration: 1 });
      expect(Distributed?.message).toMatch(/^1\/1 have version [0-9a-f]{16}$/);
    });
    expect(textOf(stream.seen.at(-1))).toContain('/first');
    const { metadata } = await objectAt('first');
    const [manager] = metadata.managedFields.filter((it: { subresource?: string }) => it.subresource === 'status');
    expect(manager).toMatchObject({ manager: 'meshd', operation: 'Apply' });
  });

  test('is printed by kubectl get', async () => {
    await cluster.api.must('POST', policies(), deny('printed', '/printed'));
    await eventually(async () => expect((await conditionsAt('printed')).Distributed?.status).toBe('True'));
    const kubectl = await adminKubectl(cluster);
    const line = 'get authorizationpolicies.security.mesh.io printed -n foo -o wide --no-headers';
    expect(await kubectl(line.split(' '))).toMatch(
      /^printed +DENY +True +True +Valid +1\/1 have version [0-9a-f]{16} +\d+s\n$/,
    );
    await cluster.api.must('DELETE', `${policies()}/printed`);
  });

  test('says of an invalid object which field is wrong and why, while its last valid version is in force', async () => {
    await cluster.api.must('POST', policies(), deny('wrong', '/kept'));
    await eventually(async () => expect((await conditionsAt('wrong')).Distributed?.status).toBe('True'));
    const before = await conditionsAt('wrong');
    await patch('wrong', wrong('1.2.3.4.5'));
    await eventually(async () => expect((await conditionsAt('wrong')).Accepted?.status).toBe('False'));
    const { Accepted, Distributed } = await conditionsAt('wrong');
    expect(Accepted).toMatchObject({ reason: 'InvalidIpBlock', observedGeneration: 2 });
    expect(Accepted?.message).toMatch(
      /^spec\.rules\[0\]\.when\[0\]\.values\[0\]: .*"1\.2\.3\.4\.5".* \[invalid-ip-block\]; the last valid version of the object is in force$/,
    );
    expect(Distributed?.message).toBe(before.Distributed?.message);
    // Another fault is no other state: only the state's change has a time.
    await patch('wrong', wrong('6.7.8.9.0'));
    await eventually(async () => expect((await conditionsAt('wrong')).Accepted?.message).toContain('6.7.8.9.0'));
    expect((await conditionsAt('wrong')).Accepted?.lastTransitionTime).toBe(Accepted?.lastTransitionTime);
    await cluster.api.must('POST', policies(), { ...deny('never', ''), ...wrong('1.2.3.4.5') });
    await eventually(async () => {
      const never = await conditionsAt('never');
      expect(never.Accepted?.message).toMatch(/; no version of the object is in force$/);
      expect(never.Distributed).toMatchObject({ status: 'False', reason: 'NotInForce' });
    });
    for (const name of ['wrong', 'never']) await cluster.api.must('DELETE', `${policies()}/${name}`);
  });

  test('its own writes cause no compilation, and what is written is not written again', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `many-${i}`);
    await Promise.all(names.map((name) => cluster.api.must('POST', policies(), deny(name, `/${name}`))));
    await eventually(async () => {
      for (const name of names) expect((await conditionsAt(name)).Distributed?.status).toBe('True');
    });
    const before = { compilations: await compilations(), writes: await writes() };
    // Of somebody else, whose write leads the watch through everything.
    await cluster.api.must('PATCH', `${policies()}/many-0/status`, { status: { conditions: [] } }, merge);
    await eventually(async () => expect((await conditionsAt('many-0')).Accepted?.status).toBe('True'));
    expect(Number(await writes())).toBe(Number(before.writes) + 1);
    expect(await compilations()).toBe(before.compilations);
  });

  test("leaves others' conditions as they are", async () => {
    const foreign = { type: 'Other', status: 'True', reason: 'x', message: '' };
    const body = {
      apiVersion: 'security.mesh.io/v1beta1',
      kind: 'AuthorizationPolicy',
      status: { conditions: [foreign] },
    };
    const path = `${policies()}/first/status?fieldManager=other`;
    await cluster.api.must('PATCH', path, body, 'application/apply-patch+yaml');
    await patch('first', deny('first', '/second'));
    await eventually(async () => expect((await conditionsAt('first')).Accepted?.observedGeneration).toBe(2));
    expect((await conditionsAt('first')).Other).toMatchObject(foreign);
  });

  test("leaves others' conditions as they are where all conditions are one value, as of Istio's objects", async () => {
    const group = istioGroup;
    await cluster.api.must('POST', policies(group), deny('shared', '/shared', group));
    await eventually(async () => expect((await conditionsAt('shared', group)).Accepted?.status).toBe('True'));
    const { status } = await objectAt('shared', group);
    const foreign = { type: 'Reconciled', status: 'True', reason: 'x', message: '' };
    const body = { status: { conditions: [...status.conditions, foreign] } };
    await cluster.api.must('PATCH', `${policies(group)}/shared/status`, body, merge);
    await cluster.api.must('PATCH', `${policies(group)}/shared`, wrong('1.2.3.4.5'), merge);
    await eventually(async () => expect((await conditionsAt('shared', group)).Accepted?.status).toBe('False'));
    expect((await conditionsAt('shared', group)).Reconciled).toEqual(foreign);
    await cluster.api.must('DELETE', `${policies(group)}/shared`);
  });

  test('pushes go on where the status may not be written, and the status follows once it may', async () => {
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/meshd-mesh-system';
    const { rules } = await cluster.api.must('GET', role);
    const without = rules.filter(({ verbs }: { verbs: string[] }) => !verbs.includes('patch'));
    await cluster.api.must('PATCH', role, { rules: without }, merge);
    await cluster.api.must('POST', policies(), deny('barred', '/barred'));
    await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/barred'));
    await eventually(() => expect(bench.logged('warn')).toMatch(/status of objects cannot be written now.*403/));
    expect(await conditionsAt('barred')).toEqual({});
    await cluster.api.must('PATCH', role, { rules }, merge);
    await eventually(async () => expect((await conditionsAt('barred')).Distributed?.status).toBe('True'));
  });
});
