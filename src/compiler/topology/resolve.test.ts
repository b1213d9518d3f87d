import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { TopologyObject } from '../../policy/topology-kinds.ts';
import { runs } from '../../testing/effort.ts';
import * as make from '../../testing/objects.ts';
import { listsOf } from './lists.ts';
import { resolveTopology, TopologyResolver } from './resolve.ts';
import { app, container, resolve, web, webPod, webWithout } from './testing/resolved.ts';

describe('resolveTopology', () => {
  test.each([
    [
      'two workloads of one name',
      [make.workloadEntry('shop/web-1', { address: '10.0.0.9' }), webPod],
      ['duplicate-workload', 'WorkloadEntry/shop/web-1#metadata.name'],
    ],
    ['a pod address', [make.pod('shop/a', '10.0.0.300')], ['invalid-address', 'Pod/shop/a#status.podIP']],
    [
      'a cluster address',
      [make.service('shop/a', { clusterIP: '10.0.0' })],
      ['invalid-address', 'Service/shop/a#spec.clusterIP'],
    ],
    [
      'a host name where addresses are fixed',
      [
        make.serviceEntry('shop/a', {
          hosts: ['a.com'],
          ports: [{ number: 80, name: 'http' }],
          resolution: 'STATIC',
          endpoints: [{ address: 'b.com' }],
        }),
      ],
      ['invalid-address', 'ServiceEntry/shop/a#spec.endpoints.0.address'],
    ],
    [
      'dynamic DNS',
      [make.serviceEntry('shop/a', { hosts: ['*.a.com'], resolution: 'DYNAMIC_DNS' })],
      ['unsupported-resolution', 'ServiceEntry/shop/a#spec.resolution'],
    ],
    [
      'interception mode',
      [make.pod({ name: 'shop/a', annotations: { 'sidecar.mesh.io/interceptionMode': 'NONE' } }, '10.0.0.1')],
      ['unsupported-interception-mode', 'Pod/shop/a#metadata.annotations.sidecar.mesh.io/interceptionMode'],
    ],
  ] as const)('reports %s', (_, objects, expected) => {
    expect(resolve(objects).diagnostics).toEqual([expected]);
  });

  test('does not depend on the order of the objects', () => {
    const objects: TopologyObject[] = [
      web,
      webPod,
      webWithout,
      make.namespace('shop', { 'mesh-injection': 'enabled' }),
      make.service('shop/a', { selector: app, ports: [{ name: 'tcp', port: 1, targetPort: 8080 }] }),
      make.pod({ name: 'other/web', labels: app }, '10.0.0.1'),
      make.workloadEntry('shop/vm', { address: '10.5.0.1', labels: app }),
      make.serviceEntry('x/a', { hosts: ['a.com', 'b.com'] }),
      make.serviceEntry('y/a', { hosts: ['b.com'] }),
    ];
    const expected = resolve(objects);
    fc.assert(
      fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (shuffled) => {
        expect(resolve(shuffled)).toEqual(expected);
      }),
      runs(30),
    );
  });

  test.each([
    ['nothing', (objects: TopologyObject[]) => objects, [true, true], [true, true, true]],
    [
      'a Secret',
      (objects: TopologyObject[]) => [...objects, make.meshObject('Secret', 'shop/x')],
      [true, true],
      [true, true, true],
    ],
    [
      'the address of a pod',
      (objects: TopologyObject[]) => [
        ...objects.slice(0, -1),
        make.pod({ name: 'shop/web-1', labels: app }, '10.0.0.99', {
          serviceAccountName: 'web',
          containers: [container, { name: 'mesh-proxy' }],
        }),
      ],
      [true, true],
      [true, false, true],
    ],
    [
      'the injection of a namespace',
      (objects: TopologyObject[]) => [...objects, make.namespace('shop', { 'mesh-injection': 'enabled' })],
      [true, false],
      [true, false, false],
    ],
  ] as const)('gives back what has not changed as it was: %s', (_, change, sameServices, sameWorkloads) => {
    const other = make.service('home/other', { selector: { app: 'other' }, ports: [{ port: 80 }] });
    const otherPod = make.pod({ name: 'home/other', labels: { app: 'other' } }, '10.0.3.1');
    const objects: TopologyObject[] = [web, other, otherPod, webWithout, webPod];
    const bag = new DiagnosticBag();
    const resolver = new TopologyResolver(defaultSettings);
    const before = resolver.resolve(listsOf(objects), [], bag);
    const changed = change(objects);
    const after = resolver.resolve(listsOf(changed), [], bag);
    expect(after.services.map((service, i) => service === before.services[i])).toEqual(sameServices);
    expect(after.workloads.map((workload, i) => workload === before.workloads[i])).toEqual(sameWorkloads);
    expect(after).toEqual(resolveTopology(changed, defaultSettings, bag));
  });
});
