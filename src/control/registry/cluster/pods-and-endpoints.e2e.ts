import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { type Cluster, startCluster } from '../../../testing/kubernetes/cluster.ts';
import { runPod } from '../../../testing/kubernetes/run-pod.ts';
import { ServingBench } from '../../testing/serving-bench.ts';

const namespace = '/api/v1/namespaces/foo';
const slices = '/apis/discovery.k8s.io/v1/namespaces/foo/endpointslices';
const merge = 'application/merge-patch+json';
const ports = [{ name: 'http', port: 8000 }];

describe('endpoints of pods in a Kubernetes cluster', () => {
  let cluster: Cluster;
  let bench: ServingBench;

  beforeAll(async () => {
    // Slices of services with a selector are the controller's; those of the others are written here.
    cluster = await startCluster({ controllers: ['endpointslice-controller'] });
    const { api } = cluster;
    const labels = { 'mesh-injection': 'enabled' };
    await api.must('POST', '/api/v1/namespaces', { metadata: { name: 'foo', labels } });
    // The controller records no pod whose node is not known.
    await api.must('POST', '/api/v1/nodes', { metadata: { name: 'node' } });
    for (const name of ['client', 'old', 'new'])
      await api.must('POST', `${namespace}/serviceaccounts`, { metadata: { name } });
    await makePod('client', 'client', '10.1.0.1');
    bench = await ServingBench.create();
    const address = { kubeconfig: cluster.kubeconfig('meshd', cluster.adminToken), context: undefined };
    await bench.start({ compile: { source: { type: 'cluster', address, namespaces: [], slices: true } } });
  });
  afterAll(async () => {
    await bench?.close();
    await cluster?.close();
  });

  /** A ready pod of a service account, whose label `app` is its name. */
  async function makePod(name: string, account: string, podIP: string): Promise<void> {
    const spec = { serviceAccountName: account, containers: [{ name: 'app', ports: [{ containerPort: 8000 }] }] };
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions };
    await runPod(cluster.api, { metadata: { name, namespace: 'foo', labels: { app: name } }, spec, status });
  }

  /** As the kubelet does once the containers have ended. */
  const remove = (pod: string) => cluster.api.must('DELETE', `${namespace}/pods/${pod}?gracePeriodSeconds=0`);

  /** Its endpoints are those of a label, or what `record` says. */
  async function makeService(name: string, app?: string): Promise<void> {
    const spec = { ports, ...(app !== undefined && { selector: { app } }) };
    await cluster.api.must('POST', `${namespace}/services`, { metadata: { name }, spec });
  }

  async function record(service: string, ...pods: readonly (readonly [pod: string, address: string])[]): Promise<void> {
    const endpoints = pods.map(([name, address]) => {
      const targetRef = { kind: 'Pod', namespace: 'foo', name };
      return { addresses: [address], conditions: { ready: true }, targetRef };
    });
    const labels = { 'kubernetes.io/service-name': service };
    const slice = { metadata: { name: service, labels }, addressType: 'IPv4', endpoints, ports };
    const { status } = await cluster.api.ask('PATCH', `${slices}/${service}`, slice, merge);
    if (status === 404) await cluster.api.must('POST', slices, slice);
  }

  /** What the client is served of a service: endpoints with `mesh` where it speaks mutual TLS to them, and the accounts that it expects there. */
  async function served(service: string): Promise<{ readonly endpoints: string[]; readonly accounts: string[] }> {
    const name = `outbound|8000||${service}.foo.svc.cluster.local`;
    const dump = JSON.parse(await bench.debug('/debug/config_dump?proxy=foo/client')) as Readonly<
      Record<string, unknown>
    >;
    const [cluster = '', assignment = ''] = ['clusters', 'endpoints'].map((list) => {
      const resources = (dump[list] ?? []) as readonly { readonly name: string }[];
      return JSON.stringify(resources.filter((resource) => resource.name === name));
    });
    const endpoint = /"address":"([\d.]+)","port_value":8000\}\}\}(,"metadata":\S*?"tlsMode":"(\w+)")?/g;
    return {
      endpoints: [...assignment.matchAll(endpoint)].map(([, address, , mode = 'plain']) => `${address} ${mode}`),
      accounts: [...cluster.matchAll(/ns\/foo\/sa\/(\w+)/g)].map(([, account = '']) => account),
    };
  }

  const nothing = { endpoints: [], accounts: [] };
  const untilServed = (service: string, expected: Awaited<ReturnType<typeof served>>): Promise<void> =>
    eventually(async () => expect(await served(service)).toEqual(expected), { interval: 100 });

  test('are served under the account of their pod, whether the Pod or the endpoint comes first', async () => {
    for (const name of ['pod-first', 'record-first', 'marker']) await makeService(name);
    await makePod('first', 'old', '10.1.0.2');
    await record('pod-first', ['first', '10.1.0.2']);
    await record('record-first', ['second', '10.1.0.3']);
    await untilServed('pod-first', { endpoints: ['10.1.0.2 mesh'], accounts: ['old'] });
    // What was written before the marker is known with it.
    await record('marker', ['first', '10.1.0.2']);
    await untilServed('marker', { endpoints: ['10.1.0.2 mesh'], accounts: ['old'] });
    expect(await served('record-first')).toEqual(nothing);
    await makePod('second', 'new', '10.1.0.3');
    await untilServed('record-first', { endpoints: ['10.1.0.3 mesh'], accounts: ['new'] });
  });

  test('of a deleted pod are never served under the account of the pod that has its address now, and the other way round', async () => {
    for (const name of ['of-old', 'of-new']) await makeService(name);
    await makePod('gone', 'old', '10.1.0.4');
    await record('of-old', ['gone', '10.1.0.4']);
    await untilServed('of-old', { endpoints: ['10.1.0.4 mesh'], accounts: ['old'] });
    await remove('gone');
    await makePod('successor', 'new', '10.1.0.4');
    await record('of-new', ['successor', '10.1.0.4']);
    await untilServed('of-new', { endpoints: ['10.1.0.4 mesh'], accounts: ['new'] });
    expect(await served('of-old')).toEqual(nothing);
    // Its pod comes back under its name, at another address, before the record of the old one goes.
    await makePod('gone', 'old', '10.1.0.5');
    await record('of-new', ['successor', '10.1.0.4'], ['gone', '10.1.0.5']);
    await untilServed('of-new', { endpoints: ['10.1.0.4 mesh', '10.1.0.5 mesh'], accounts: ['new', 'old'] });
    expect(await served('of-old')).toEqual(nothing);
    await record('of-old', ['gone', '10.1.0.5']);
    await untilServed('of-old', { endpoints: ['10.1.0.5 mesh'], accounts: ['old'] });
  });

  test('that are not ready, or whose pod is ending, are not served', async () => {
    await makeService('selected', 'ending');
    await makePod('ending', 'old', '10.1.0.6');
    await untilServed('selected', { endpoints: ['10.1.0.6 mesh'], accounts: ['old'] });
    const ready = (status: 'True' | 'False') =>
      cluster.api.must(
        'PATCH',
        `${namespace}/pods/ending/status`,
        { status: { conditions: [{ type: 'Ready', status }] } },
        merge,
      );
    await ready('False');
    // The server is expected there as before, so that readiness changes no cluster.
    await untilServed('selected', { endpoints: [], accounts: ['old'] });
    await ready('True');
    await untilServed('selected', { endpoints: ['10.1.0.6 mesh'], accounts: ['old'] });
    // Until the kubelet says that the containers have ended, the pod is there, and ready.
    const { metadata } = await cluster.api.must('DELETE', `${namespace}/pods/ending?gracePeriodSeconds=60`);
    expect(metadata.deletionTimestamp).toBeDefined();
    await untilServed('selected', { endpoints: [], accounts: ['old'] });
    const { items } = await cluster.api.must('GET', `${slices}?labelSelector=kubernetes.io/service-name=selected`);
    expect(items[0].endpoints).toMatchObject([{ conditions: { ready: false, terminating: true } }]);
    await remove('ending');
    await untilServed('selected', nothing);
  });
});
