import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { ServiceEntry } from '../../policy/topology-kinds.ts';
import * as make from '../../testing/objects.ts';
import { listsOf } from './lists.ts';
import { TopologyResolver } from './resolve.ts';
import { placeOfPort } from './service-port.ts';
import { resolve } from './testing/resolved.ts';

const entry = (name: string, number: number, fields: Partial<ServiceEntry['spec']> = {}) =>
  make.serviceEntry(`shop/${name}`, {
    hosts: ['api.example.com'],
    ports: [{ number, name: `p${number}`, protocol: 'TCP' }],
    resolution: 'STATIC',
    endpoints: [{ address: `10.0.0.${number}` }],
    ...fields,
  });

describe('ServiceEntries of one host', () => {
  test('with different ports are one service, each port with its own endpoints and its own place', () => {
    const { services, diagnostics } = resolve([entry('a', 1), entry('b', 2), entry('c', 3)]);
    expect(diagnostics).toEqual([]);
    expect(services).toHaveLength(1);
    expect(services[0]?.ports.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(services[0]?.endpoints.map(({ servicePort, address }) => [servicePort, address])).toEqual([
      [1, '10.0.0.1'],
      [2, '10.0.0.2'],
      [3, '10.0.0.3'],
    ]);
    const places = services[0]?.ports.map((port) => services[0] && placeOfPort(services[0], port));
    expect(places?.map((it) => [it?.object.name, it?.path.at(-1)])).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ]);
  });

  test('that share a port are warned of, and the other ports are taken', () => {
    const ports = [1, 2].map((number) => ({ number, name: `q${number}`, protocol: 'TCP' }));
    const { services, diagnostics } = resolve([entry('a', 1), entry('b', 2, { ports })]);
    expect(diagnostics).toEqual([['duplicate-host', 'ServiceEntry/shop/b#spec.hosts.0']]);
    expect(services[0]?.ports.map(({ name }) => name)).toEqual(['p1', 'q2']);
    expect(services[0]?.endpoints.map(({ servicePort, address }) => [servicePort, address])).toEqual([
      [1, '10.0.0.1'],
      [2, '10.0.0.2'],
    ]);
  });

  test.each<[string, Partial<ServiceEntry['spec']>]>([
    ['resolution', { resolution: 'NONE' }],
    ['location', { location: 'MESH_INTERNAL' }],
    ['addresses', { addresses: ['10.9.0.1'] }],
    ['identities', { subjectAltNames: ['spiffe://a/b'] }],
    ['visibility', { exportTo: ['.'] }],
    ['workloads', { workloadSelector: { labels: { app: 'api' } } }],
  ])('that differ in %s stay apart: the later one is left out, with a warning', (_, fields) => {
    const { services, diagnostics } = resolve([entry('a', 1), entry('b', 2, fields)]);
    expect(diagnostics).toEqual([['duplicate-host', 'ServiceEntry/shop/b#spec.hosts.0']]);
    expect(services[0]?.ports.map(({ number }) => number)).toEqual([1]);
  });

  test('make the same service again only while both are as they were', () => {
    const [a, b] = [entry('a', 1), entry('b', 2)];
    const of = (objects: readonly ServiceEntry[]) => {
      const resolver = new TopologyResolver(defaultSettings);
      const [before, after] = [[a, b], objects].map((all) => resolver.resolve(listsOf(all), [], new DiagnosticBag()));
      return { before: before?.services[0], after: after?.services[0] };
    };
    const kept = of([a, b]);
    expect(kept.after).toBe(kept.before);
    for (const changed of [[a, entry('b', 2)], [a]]) {
      const { before, after } = of(changed);
      expect(after).not.toBe(before);
    }
  });
});
