import { describe, expect, test } from 'vitest';
import { NamedSecrets } from './named-secrets.ts';

const file = (object: object) => ({ path: 'x', text: JSON.stringify(object) });
const pod = (namespace: string, labels: object) => file({ metadata: { namespace, labels } });
const gateway = (namespace: string, selector: object | undefined, ...tls: readonly object[]) =>
  file({ metadata: { namespace }, spec: { selector, servers: tls.map((each) => ({ tls: each })) } });
const edge = { app: 'edge' };

function named(gateways: readonly object[], workloads: readonly object[]): readonly string[] {
  type Files = Parameters<NamedSecrets['of']>[0];
  const found = new NamedSecrets().of(gateways as Files, workloads as Files);
  return found.map(({ namespace, name }) => `${namespace}/${name}`);
}

describe('NamedSecrets', () => {
  test('are in the namespaces of the workloads that a Gateway selects', () => {
    const pods = [pod('a', edge), pod('b', { ...edge, x: 'y' }), pod('c', { app: 'web' })];
    expect(named([gateway('shop', edge, { mode: 'SIMPLE', credentialName: 'cert' })], pods)).toEqual([
      'a/cert',
      'b/cert',
    ]);
  });

  test("are the server's certificate and key, and the CAs of clients with certificates", () => {
    const modes = ['SIMPLE', 'MUTUAL', 'OPTIONAL_MUTUAL', 'ISTIO_MUTUAL', 'MESH_MUTUAL', 'PASSTHROUGH', undefined];
    const tls = modes.map((mode, index) => ({ mode, credentialName: `c${index}` }));
    expect(named([gateway('shop', edge, ...tls)], [pod('a', edge)])).toEqual([
      ...['a/c0', 'a/c1', 'a/c1-cacert', 'a/c2', 'a/c2-cacert'],
    ]);
  });

  test('are found by labels of mesh.io and of istio.io', () => {
    const labels = { istio: 'ingress', 'gateway.istio.io/managed': 'yes' };
    const selector = { mesh: 'ingress', 'gateway.mesh.io/managed': 'yes' };
    const tls = { mode: 'SIMPLE', credentialName: 'cert' };
    expect(named([gateway('shop', selector, tls)], [pod('a', labels)])).toEqual(['a/cert']);
    expect(named([gateway('shop', labels, tls)], [pod('a', selector)])).toEqual(['a/cert']);
  });

  test('are found by the label of mesh.io where a pod has both, in either order', () => {
    const both = [
      { mesh: 'edge', istio: 'other' },
      { istio: 'other', mesh: 'edge' },
    ];
    const gateways = [gateway('shop', { mesh: 'edge' }, { mode: 'SIMPLE', credentialName: 'cert' })];
    for (const labels of both) expect(named(gateways, [pod('a', labels)])).toEqual(['a/cert']);
  });

  test('of a Gateway without a selector are in its own namespace, and in those that other Gateways select', () => {
    const all = gateway('shop', undefined, { mode: 'SIMPLE', credentialName: 'all' });
    const own = gateway('x', edge, { mode: 'SIMPLE', credentialName: 'own' });
    const pods = [pod('a', edge), pod('b', { app: 'web' })];
    expect(named([all, own], pods)).toEqual(['a/all', 'a/own', 'shop/all']);
  });

  test('of a Gateway of the Gateway API are in the namespace of its workloads, and in no other', () => {
    const listener = (...certificateRefs: readonly object[]) => ({ tls: { certificateRefs } });
    const standard = (spec: object) =>
      file({ apiVersion: 'gateway.networking.k8s.io/v1', metadata: { namespace: 'shop' }, spec });
    const listeners = [listener({ name: 'own' }), listener({ name: 'there', namespace: 'edges' })];
    expect(named([standard({ listeners })], [])).toEqual(['shop/own']);
    const addresses = [{ type: 'Hostname', value: 'edge.edges.svc.cluster.local' }];
    expect(named([standard({ listeners, addresses })], [])).toEqual(['edges/there']);
    const others = [
      { name: 'own', kind: 'ConfigMap' },
      { name: 'own', group: 'cert.example', kind: 'Secret' },
    ];
    expect(named([standard({ listeners: [listener(...others)] })], [])).toEqual([]);
    const odd = [{ name: 1 }, { name: '../a' }, { name: 'a,metadata.name=b' }, null, { name: 'a', namespace: 'b' }];
    const broken = [{ listeners: [listener(...(odd as object[])), null, {}, { tls: null }] }, { listeners: 'no' }, {}];
    expect(named(broken.map(standard), [pod('shop', {})])).toEqual([]);
    const selecting = { ...listeners, servers: [{ tls: { mode: 'SIMPLE', credentialName: 'cert' } }] };
    expect(named([standard(selecting)], [pod('shop', {})])).toEqual([]);
  });

  test.each([
    ['no name', { mode: 'SIMPLE' }],
    ['no text', { mode: 'SIMPLE', credentialName: 1 }],
    ['a path', { mode: 'SIMPLE', credentialName: '../a' }],
    ['several parts of a selector', { mode: 'SIMPLE', credentialName: 'a,metadata.name=b' }],
  ])('are none if a server has %s', (_, tls) => {
    expect(named([gateway('shop', edge, tls)], [pod('a', edge)])).toEqual([]);
  });

  test('are none if no workload matches the selector of a Gateway', () => {
    const broken = [
      { metadata: {} },
      { metadata: {}, spec: { servers: 'no' } },
      { metadata: {}, spec: { servers: [null] } },
    ];
    expect(named(broken.map(file), [pod('a', edge)])).toEqual([]);
  });

  test('include those of machines, by the labels of their WorkloadEntries', () => {
    const entry = file({ metadata: { namespace: 'vm' }, spec: { labels: edge } });
    expect(named([gateway('shop', edge, { mode: 'SIMPLE', credentialName: 'cert' })], [entry])).toEqual(['vm/cert']);
  });
});
