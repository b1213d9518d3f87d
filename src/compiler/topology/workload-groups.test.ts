import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import * as make from '../../testing/objects.ts';
import { listsOf } from './lists.ts';
import { resolveTopology, TopologyResolver } from './resolve.ts';
import { resolve } from './testing/resolved.ts';

const annotations = { 'mesh.io/autoRegistrationGroup': 'stock' };
const healthChecked = { 'proxy.mesh.io/health-checks-enabled': 'true' };
const service = make.service('shop/stock', {
  clusterIP: '10.96.0.1',
  selector: { app: 'stock' },
  ports: [{ port: 80, name: 'http', targetPort: 'http' }],
});
const group = make.workloadGroup('shop/stock', {
  metadata: { labels: { app: 'stock' }, annotations: { 'sidecar.mesh.io/interceptionMode': 'TPROXY' } },
  template: {
    ...{ labels: { app: 'of-the-template', tier: 'store' }, ports: { http: 8080, admin: 9000 } },
    ...{ serviceAccount: 'stock', locality: 'eu/a', weight: 3, address: '10.9.9.9' },
  },
});

describe('a WorkloadGroup', () => {
  test('is a workload of its own if it has no WorkloadEntry', () => {
    expect(resolve([group, service]).workloads).toMatchObject([
      {
        ...{ name: 'stock', kind: 'WorkloadGroup', role: 'sidecar', addresses: [], locality: 'eu/a' },
        ...{ identity: 'spiffe://cluster.local/ns/shop/sa/stock', interceptionMode: 'TPROXY' },
        ...{ labels: { app: 'stock', tier: 'store' }, targets: [{ targetPort: 8080 }] },
      },
    ]);
  });

  test('stands for nothing once an entry names it, or carries its labels', () => {
    const named = make.workloadEntry({ name: 'shop/vm', annotations }, { address: '10.5.0.1' });
    const labels = { app: 'stock', tier: 'store' };
    const alike = make.workloadEntry('shop/vm', { address: '10.5.0.1', labels });
    const elsewhere = make.workloadEntry('other/vm', { address: '10.5.0.1', labels });
    const namesOf = (...entries: (typeof alike)[]) => resolve([group, ...entries]).workloads.map(({ name }) => name);
    expect([namesOf(named), namesOf(alike), namesOf(elsewhere)]).toEqual([['vm'], ['vm'], ['vm', 'stock']]);
  });

  test('without labels is not taken for the group of entries that do not name it', () => {
    const entry = make.workloadEntry('shop/vm', { address: '10.5.0.1' });
    const bare = make.workloadGroup('shop/bare', { template: {} });
    expect(resolve([bare, entry]).workloads.map(({ name }) => name)).toEqual(['bare', 'vm']);
  });

  test('has no proxy where its label says so', () => {
    const metadata = { labels: { 'security.mesh.io/tlsMode': 'disabled' } };
    expect(resolve([make.workloadGroup('shop/a', { metadata, template: {} })]).workloads[0]?.role).toBe('none');
  });
});

describe('a WorkloadEntry of a group', () => {
  test('gets from the group what it does not say itself, and never its address', () => {
    const spec = { ports: { http: 8181 }, labels: { tier: 'cache' }, weight: 1 };
    const vm = make.workloadEntry({ name: 'shop/vm', annotations, labels: { zone: 'a' } }, spec);
    expect(resolve([group, vm]).workloads).toMatchObject([
      {
        ...{ name: 'vm', kind: 'WorkloadEntry', role: 'sidecar', addresses: [], locality: 'eu/a' },
        ...{ identity: 'spiffe://cluster.local/ns/shop/sa/stock', interceptionMode: 'TPROXY' },
        ...{ labels: { app: 'stock', tier: 'cache', zone: 'a' }, namedPorts: { http: 8181, admin: 9000 } },
      },
    ]);
  });

  test('serves what selects the labels of the group', () => {
    const vm = make.workloadEntry({ name: 'shop/vm', annotations }, { address: '10.5.0.1' });
    const { services, workloads } = resolve([group, service, vm]);
    expect(services[0]?.endpoints).toMatchObject([{ address: '10.5.0.1', port: 8080, hasSidecar: true, weight: 3 }]);
    expect(workloads[0]?.targets).toMatchObject([{ targetPort: 8080 }]);
  });

  test.each<[string, string | undefined, boolean]>([
    ['True', 'True', true],
    ['False', 'False', false],
    ['absent', undefined, false],
  ])('whose health is checked counts with the condition Healthy %s: %s', (_, status, isReady) => {
    const entry = make.workloadEntry({ name: 'shop/vm', annotations: healthChecked }, { address: '10.5.0.1' });
    const conditions = status === undefined ? [] : [{ type: 'Healthy', status }];
    expect(resolve([{ ...entry, status: { conditions } }]).workloads[0]?.isReady).toBe(isReady);
  });

  test('whose health nobody checks counts, whatever its conditions say', () => {
    const entry = make.workloadEntry('shop/vm', { address: '10.5.0.1' });
    const status = { conditions: [{ type: 'Healthy', status: 'False' }] };
    expect(resolve([{ ...entry, status }]).workloads[0]?.isReady).toBe(true);
  });

  test('is another workload once its group gives it other labels', () => {
    const vm = make.workloadEntry({ name: 'shop/vm', annotations }, { address: '10.5.0.1' });
    const other = { ...group, spec: { ...group.spec, metadata: { labels: { app: 'other' } } } };
    const resolver = new TopologyResolver(defaultSettings);
    const labelsWith = (theirs: typeof group) =>
      resolver.resolve(listsOf([theirs, vm]), [], new DiagnosticBag()).workloads[0]?.labels.app;
    expect([labelsWith(group), labelsWith(other)]).toEqual(['stock', 'other']);
  });

  test('that names a group of another namespace, or none, is warned of', () => {
    const bag = new DiagnosticBag();
    const labels = { 'security.mesh.io/tlsMode': 'mesh' };
    const vm = make.workloadEntry({ name: 'other/vm', annotations }, { address: '10.5.0.1', labels });
    resolveTopology([group, vm], defaultSettings, bag);
    expect(bag.all.map(({ code, span }) => [code, span?.file])).toEqual([
      ['unknown-workload-group', 'WorkloadEntry/other/vm#metadata.annotations.mesh.io/autoRegistrationGroup'],
    ]);
  });
});
