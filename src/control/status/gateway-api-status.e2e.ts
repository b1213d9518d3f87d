import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import type { Cluster } from '../../testing/kubernetes/cluster.ts';
import { classesPath, standardGroup, standardObject, standardPath, startEdgeCluster } from '../testing/edge-cluster.ts';
import { ServingBench } from '../testing/serving-bench.ts';
import type { Condition } from './condition.ts';
import { listenersOf, parentsOf, wordsOf } from './gateway-api/testing/given-mesh.ts';

const merge = 'application/merge-patch+json';
const http = { name: 'http', port: 80, protocol: 'HTTP' };
const tls = { name: 'tls', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } };
const rules = [{ backendRefs: [{ name: 'httpbin', port: 8000 }] }];
const accepted = { Accepted: 'True Accepted', ResolvedRefs: 'True ResolvedRefs' };
const served = { ...accepted, Conflicted: 'False NoConflicts', Programmed: 'True Programmed' };
const requests = 'HTTPRoute,GRPCRoute';

describe('the status of objects of the Gateway API in a Kubernetes cluster', () => {
  let cluster: Cluster;
  let bench: ServingBench;

  beforeAll(async () => {
    cluster = await startEdgeCluster([http]);
    const { api } = cluster;
    const parentRefs = [{ name: 'edge' }];
    await api.must('POST', standardPath('httproutes'), standardObject('HTTPRoute', 'web', { parentRefs, rules }));
    bench = await ServingBench.create();
    const token = await cluster.accountToken('mesh-system', 'meshd');
    const address = { kubeconfig: cluster.kubeconfig('meshd', token), context: undefined };
    const status = { reconciliation: false, analysis: false, rate: { perSecond: 100, burst: 500 } };
    await bench.start({
      compile: {
        source: { type: 'cluster', address, namespaces: [], slices: false, gatewayApi: true, status },
        readsGatewayApi: true,
      },
      replica: { address, namespace: 'mesh-system', times: { durationMs: 2_000, renewWithinMs: 1_200, retryMs: 250 } },
    });
  });
  afterAll(async () => {
    await bench?.close();
    await cluster?.close();
  });

  const statusAt = async (at: string) => (await cluster.api.must('GET', at)).status;
  const webAt = () => statusAt(`${standardPath('httproutes')}/web`);
  const edgeAt = () => statusAt(`${standardPath('gateways')}/edge`);
  const patch = (at: string, body: object) => cluster.api.must('PATCH', at, body, merge);
  const patchEdge = (spec: object) => patch(`${standardPath('gateways')}/edge`, { spec });
  const patchWeb = (spec: object) => patch(`${standardPath('httproutes')}/web`, { spec });
  const compilations = () => bench.metric('meshd_compilations_count');
  const revisions = async () => {
    const all = [
      `${standardPath('gateways')}/edge`,
      `${standardPath('httproutes')}/web`,
      `${standardPath('tlsroutes', 'v1alpha2')}/db`,
    ];
    const objects = await Promise.all(all.map((at) => cluster.api.must('GET', at)));
    return objects.map(({ metadata }) => metadata.resourceVersion);
  };
  const generationsOf = (conditions: readonly Condition[] = []) => [
    ...new Set(conditions.map(({ observedGeneration }) => observedGeneration)),
  ];

  test('says what is accepted, programmed and attached', async () => {
    await eventually(async () => {
      expect(wordsOf((await statusAt(`${classesPath}/edges`))?.conditions)).toEqual({ Accepted: 'True Accepted' });
      const edge = await edgeAt();
      expect(wordsOf(edge?.conditions)).toEqual({ Accepted: 'True Accepted', Programmed: 'True Programmed' });
      expect(listenersOf(edge)).toEqual({ http: { routes: 1, kinds: requests, ...served } });
      const web = await webAt();
      expect(parentsOf(web)).toEqual({ edge: accepted });
      expect(web.parents[0]).toMatchObject({
        parentRef: { group: standardGroup, kind: 'Gateway', name: 'edge' },
        controllerName: 'mesh.io/gateway-controller',
      });
    });
  });

  test('follows changes of listeners and routes, with the generation that it is about', async () => {
    const { api } = cluster;
    await patchEdge({ listeners: [http, tls] });
    const names = { parentRefs: [{ name: 'edge', sectionName: 'tls' }], hostnames: ['tls.example.com'], rules };
    await api.must('POST', standardPath('tlsroutes', 'v1alpha2'), standardObject('TLSRoute', 'db', names, 'v1alpha2'));
    await patchWeb({ rules: [{ backendRefs: [{ name: 'gone', port: 8000 }] }] });
    await patch(`${classesPath}/edges`, { spec: { description: 'edges' } });
    await eventually(async () => {
      const edge = await edgeAt();
      expect(listenersOf(edge)).toEqual({
        http: { routes: 1, kinds: requests, ...served },
        tls: { routes: 1, kinds: 'TLSRoute', ...served },
      });
      expect(generationsOf(edge.conditions)).toEqual([2]);
      expect(edge.listeners.flatMap(({ conditions = [] }) => generationsOf(conditions))).toEqual([2, 2]);
      expect(parentsOf(await statusAt(`${standardPath('tlsroutes', 'v1alpha2')}/db`))).toEqual({
        'edge tls': accepted,
      });
      const web = await webAt();
      expect(parentsOf(web)).toEqual({ edge: { ...accepted, ResolvedRefs: 'False BackendNotFound' } });
      expect(generationsOf(web.parents[0].conditions)).toEqual([2]);
      expect(generationsOf((await statusAt(`${classesPath}/edges`)).conditions)).toEqual([2]);
    });
    await patchEdge({ listeners: [tls, { ...http, name: 'tcp', protocol: 'TCP' }] });
    await eventually(async () => {
      const edge = await edgeAt();
      expect(wordsOf(edge.conditions)).toMatchObject({ Accepted: 'False ListenersNotValid' });
      expect(listenersOf(edge)).toMatchObject({ tcp: { Accepted: 'False UnsupportedProtocol' } });
      expect(Object.keys(listenersOf(edge))).toEqual(['tls', 'tcp']);
    });
    await patchEdge({ listeners: [http] });
    await patchWeb({ rules });
    await eventually(async () => {
      expect(listenersOf(await edgeAt())).toEqual({ http: { routes: 1, kinds: requests, ...served } });
      expect(parentsOf(await webAt())).toEqual({ edge: accepted });
      const db = await statusAt(`${standardPath('tlsroutes', 'v1alpha2')}/db`);
      expect(parentsOf(db)).toEqual({ 'edge tls': { ...accepted, Accepted: 'False NoMatchingParent' } });
    });
  });

  test('its own writes cause no compilation, and what is written is not written again', async () => {
    const before = await compilations();
    // Of somebody else, whose write leads the watch through everything.
    await patch(`${standardPath('gateways')}/edge/status`, { status: { conditions: [] } });
    await eventually(async () => expect(Object.keys(wordsOf((await edgeAt()).conditions))).toHaveLength(2));
    await patch(`${standardPath('httproutes')}/web/status`, { status: { parents: [] } });
    await eventually(async () => expect(parentsOf(await webAt())).toEqual({ edge: accepted }));
    const settled = await revisions();
    // What is written of this comes after all that the others might have caused.
    await patch(`${classesPath}/edges/status`, { status: { conditions: [] } });
    await eventually(async () => expect((await statusAt(`${classesPath}/edges`)).conditions).toHaveLength(1));
    expect(await revisions()).toEqual(settled);
    expect(await compilations()).toBe(before);
  });

  test('leaves entries of other controllers and Gateways of other classes alone', async () => {
    const { api } = cluster;
    await api.must(
      'POST',
      classesPath,
      standardObject('GatewayClass', 'others', { controllerName: 'example.com/other' }),
    );
    const other = standardObject('Gateway', 'other', { gatewayClassName: 'others', listeners: [http] });
    await api.must('POST', standardPath('gateways'), other);
    const theirs = {
      parentRef: { group: standardGroup, kind: 'Gateway', name: 'other' },
      controllerName: 'example.com/other',
      conditions: [
        {
          type: 'Accepted',
          status: 'True',
          reason: 'Accepted',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    };
    const { parents } = await webAt();
    await patch(`${standardPath('httproutes')}/web/status`, { status: { parents: [theirs, ...parents] } });
    await patchWeb({ parentRefs: [{ name: 'other' }, { name: 'edge', port: 80 }] });
    await eventually(async () => {
      const web = await webAt();
      expect(web.parents[0]).toEqual(theirs);
      expect(parentsOf({ parents: web.parents.slice(1) })).toEqual({ 'edge 80': accepted });
    });
    await patchWeb({ parentRefs: [{ name: 'other' }] });
    await eventually(async () => expect((await webAt()).parents).toEqual([theirs]));
    expect(await statusAt(`${standardPath('gateways')}/other`)).toBe(undefined);
    expect(await statusAt(`${classesPath}/others`)).toBe(undefined);
  });

  test('is that of the last version of an object that others write at the same time', async () => {
    const web = `${standardPath('httproutes')}/web`;
    await patchWeb({ parentRefs: [{ name: 'edge' }] });
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        await patch(web, { metadata: { labels: { [`label-${i % 4}`]: `${i}` } } });
        if (i % 8 === 0) await patchWeb({ hostnames: [`host-${i}.example.com`] });
      }),
    );
    await eventually(async () => {
      const { metadata, status } = await cluster.api.must('GET', web);
      expect(parentsOf(status)).toMatchObject({ edge: accepted });
      const ours = status.parents.find((it: { controllerName: string }) => it.controllerName.startsWith('mesh.io'));
      expect(generationsOf(ours.conditions)).toEqual([metadata.generation]);
    });
  });
});
