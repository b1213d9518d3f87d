import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import * as make from '../../testing/objects.ts';
import { listsOf } from './lists.ts';
import { TopologyResolver } from './resolve.ts';
import { app, container, resolve, web, webPod } from './testing/resolved.ts';

describe('workloads', () => {
  test('counts pods without an address, and knows nothing of pods that have ended', () => {
    const waiting = make.pod('shop/waiting', undefined, {}, { phase: 'Pending' });
    const ended = make.pod('shop/ended', '10.0.0.9', {}, { phase: 'Succeeded' });
    const { counts, workloads } = resolve([waiting, ended]);
    expect(counts.podsWithoutIp).toBe(1);
    expect(workloads.map(({ name }) => name)).toEqual(['waiting']);
  });

  test.each([
    [{ serviceAccount: 'old' }, 'old'],
    [{ serviceAccountName: 'new', serviceAccount: 'old' }, 'new'],
    [{ serviceAccountName: '', serviceAccount: 'old' }, 'old'],
    [{}, 'default'],
  ])('knows the account of a pod with %o by the name that the API server gives it', (names, account) => {
    const { workloads } = resolve([make.pod('shop/a', '10.0.0.1', names)]);
    expect(workloads).toMatchObject([
      { serviceAccount: account, identity: `spiffe://cluster.local/ns/shop/sa/${account}` },
    ]);
  });

  test('gives a controller a workload only if none of its pods is in the inputs', () => {
    const template = { metadata: { labels: app }, spec: { containers: [container] } };
    const deployment = make.controller('Deployment', 'shop/web', template);
    expect(resolve([deployment, web]).workloads).toMatchObject([
      { name: 'web', kind: 'Deployment', addresses: [], families: ['ipv4'], targets: [{ targetPort: 8080 }] },
    ]);
    expect(resolve([deployment, webPod]).workloads.map(({ name }) => name)).toEqual(['web-1']);
    const ipv6 = { ...web, spec: { ...web.spec, clusterIP: 'fd00::1' } };
    expect(resolve([deployment, ipv6]).workloads[0]?.families).toEqual(['ipv6']);
  });

  test('gives workloads their locality, labels and weight, and services the namespaces that see them', () => {
    const located = (name: string, labels: Record<string, string>) => make.pod({ name, labels }, '10.0.0.1');
    const entry = make.workloadEntry(
      { name: 'shop/vm', labels: { a: '1', b: '1' } },
      { address: '10.5.0.1', labels: { b: '2' }, locality: 'r/z/s' },
    );
    const { workloads, services } = resolve([
      located('shop/a', { 'mesh-locality': 'r1.z1' }),
      located('shop/b', { 'topology.kubernetes.io/region': 'r2', 'topology.kubernetes.io/zone': 'z2' }),
      located('shop/c', {}),
      located('shop/d', { 'topology.kubernetes.io/region': 'r3', 'topology.mesh.io/subzone': 'no zone' }),
      entry,
      make.workloadEntry({ name: 'shop/vm2', labels: { 'mesh-locality': 'r/z2' } }, { address: '10.5.0.2' }),
      make.service({ name: 'shop/web', annotations: { 'networking.mesh.io/exportTo': 'home, .' } }, {}),
    ]);
    expect(workloads.map(({ locality }) => locality)).toEqual(['r1/z1', 'r2/z2', undefined, 'r3', 'r/z/s', 'r/z2']);
    expect(workloads[4]?.labels).toEqual({ a: '1', b: '2' });
    expect(services[0]?.exportTo).toEqual(['home', '.']);
  });

  test('takes the locality of a pod from its node where its own labels name none', () => {
    const on = (name: string, nodeName: string, labels = {}) => make.pod({ name, labels }, '10.0.0.1', { nodeName });
    const [region, zone] = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];
    const earlier = 'failure-domain.beta.kubernetes.io';
    const { workloads, namespaces } = resolve([
      make.node('new', { [region]: 'r', [zone]: 'z', 'topology.mesh.io/subzone': 's', 'mesh-locality': 'other' }),
      make.node('old', { [`${earlier}/region`]: 'r1', [`${earlier}/zone`]: 'z1', 'mesh-locality': 'other' }),
      make.node('bare', { [zone]: 'alone' }),
      ...[on('shop/a', 'new'), on('shop/b', 'old'), on('shop/c', 'bare'), on('shop/d', 'absent')],
      on('shop/e', 'new', { 'mesh-locality': 'own' }),
    ]);
    expect(workloads.map(({ locality }) => locality)).toEqual(['r/z/s', 'r1/z1', undefined, undefined, 'own']);
    expect([...namespaces.keys()]).toEqual(['shop']);
  });

  test('makes a pod anew when its node is somewhere else, and not for anything else of a node', () => {
    const resolver = new TopologyResolver(defaultSettings);
    const pods = [make.pod('shop/a', '10.0.0.1', { nodeName: 'one' }), make.pod('shop/b', '10.0.0.2')];
    const at = (labels: Record<string, string>) => {
      const objects = [make.node('one', { 'topology.kubernetes.io/region': 'r', ...labels }), ...pods];
      return resolver.resolve(listsOf(objects), [], new DiagnosticBag()).workloads;
    };
    const first = at({});
    const second = at({ 'example.com/heartbeat': '2' });
    expect(second).toBe(first);
    const moved = at({ 'topology.kubernetes.io/zone': 'z' });
    expect(moved.map(({ locality }) => locality)).toEqual(['r/z', undefined]);
    expect(moved[1]).toBe(first[1]);
  });
});
