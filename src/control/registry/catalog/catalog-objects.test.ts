import { describe, expect, test } from 'vitest';
import type { ConsulInstance } from '../../../consul/consul-instance.ts';
import { catalogObjects } from './catalog-objects.ts';

const instance = (changes: Partial<ConsulInstance> = {}): ConsulInstance => ({
  ...{ id: 'web-1', node: 'n1', datacenter: 'dc1', address: '10.1.0.1', port: 80, tags: [], meta: {}, weight: 1 },
  health: 'passing',
  ...changes,
});

/** Objects of the files, by kind. */
function objectsOf(...instances: readonly ConsulInstance[]) {
  const { files, problems } = catalogObjects({ name: 'web', instances });
  const [entries = [], machines = []] = files.map(({ text }) =>
    text === '' ? [] : text.split('---\n').map((part) => JSON.parse(part)),
  );
  return { entries, machines, problems };
}

describe('the objects of a service of a catalog', () => {
  test('are a ServiceEntry for each port with the instances that have it, and a WorkloadEntry for each address', () => {
    const { entries, machines, problems } = objectsOf(
      instance({ meta: { protocol: 'http', version: 'v1' }, tags: ['version|v2', 'primary'] }),
      instance({ id: 'web-2', address: '10.1.0.2', meta: { protocol: 'http' }, weight: 5 }),
      instance({ id: 'web-3', address: '10.1.0.2', port: 81 }),
    );
    expect(entries.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      [
        'web.80',
        {
          ...{ hosts: ['web.service.consul'], location: 'MESH_INTERNAL', resolution: 'STATIC' },
          ports: [{ number: 80, name: 'http-80', protocol: 'HTTP' }],
          endpoints: [
            { address: '10.1.0.1', labels: { version: 'v2' }, locality: 'dc1', weight: 1 },
            { address: '10.1.0.2', labels: {}, locality: 'dc1', weight: 5 },
          ],
        },
      ],
      [
        'web.81',
        {
          ...{ hosts: ['web.service.consul'], location: 'MESH_INTERNAL', resolution: 'STATIC' },
          ports: [{ number: 81, name: 'tcp-81', protocol: 'TCP' }],
          endpoints: [{ address: '10.1.0.2', labels: {}, locality: 'dc1', weight: 1 }],
        },
      ],
    ]);
    expect(machines.map(({ metadata, spec }) => [metadata.name, spec.labels])).toEqual([
      ['web.10-1-0-1', { version: 'v2' }],
      ['web.10-1-0-2', {}],
    ]);
    expect(problems).toEqual([]);
  });

  test('keep an instance that is critical as a machine that is not healthy, and as an endpoint of it', () => {
    const { entries, machines } = objectsOf(instance(), instance({ address: '10.1.0.2', health: 'critical' }));
    expect(machines.map(({ status }) => status.conditions[0].status)).toEqual(['True', 'False']);
    expect(entries[0].spec.endpoints.map(({ address }: { address: string }) => address)).toEqual([
      '10.1.0.1',
      '10.1.0.2',
    ]);
  });

  test('leave a critical instance out where another of the same address is healthy, and one that has a host name', () => {
    const { entries } = objectsOf(
      instance(),
      instance({ id: 'web-2', port: 81, health: 'critical' }),
      instance({ id: 'web-3', port: 80, address: 'web.example.com', health: 'critical' }),
      instance({ id: 'web-4', port: 81, address: 'api.example.com' }),
    );
    expect(entries.map(({ spec }) => spec.endpoints.map(({ address }: { address: string }) => address))).toEqual([
      ['10.1.0.1'],
      ['10.1.0.1', 'api.example.com'],
    ]);
  });

  test('never have an account that an instance chose', () => {
    const meta = { serviceAccount: 'admin', 'security.istio.io/identity': 'spiffe://td/ns/kube-system/sa/admin' };
    const { entries, machines } = objectsOf(instance({ meta, tags: ['serviceAccount|admin'] }));
    expect(Object.keys(machines[0].spec)).toEqual(['address', 'labels', 'locality']);
    expect(Object.keys(entries[0].spec.endpoints[0])).toEqual(['address', 'labels', 'locality', 'weight']);
    expect(Object.keys(entries[0].spec)).not.toContain('subjectAltNames');
  });

  test.each([
    ['an address that is none', { address: 'no address' }, 'its address is "no address"'],
    ['an address that would end the text', { address: '10.0.0.1"}' }, 'its address is "10.0.0.1"}"'],
    ['no port', { port: 0 }, 'its port is 0'],
    ['a fraction of a port', { port: 80.5 }, 'its port is 80.5'],
  ])('leave out an instance with %s, and say so', (_what, changes, problem) => {
    const { entries, machines, problems } = objectsOf(instance(changes));
    expect([entries, machines]).toEqual([[], []]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  test('leave out what is no label, and say so', () => {
    const { machines, problems } = objectsOf(instance({ tags: ['a b|c', 'ok|yes', 'v|no!'], meta: { 'x y': '1' } }));
    expect(machines[0].spec.labels).toEqual({ ok: 'yes' });
    expect([...new Set(problems)]).toHaveLength(3);
  });

  test.each([
    [
      'an unknown protocol',
      [{ meta: { protocol: 'carrier-pigeon' } }],
      'TCP',
      ['"CARRIER-PIGEON", which is not supported'],
    ],
    ['UDP, which has no listener', [{ meta: { protocol: 'udp' } }], 'TCP', ['"UDP", which is not supported']],
    [
      'two protocols',
      [{ meta: { protocol: 'http' } }, { id: 'z', meta: { protocol: 'grpc' } }],
      'HTTP',
      ['HTTP, GRPC'],
    ],
  ])('say which protocol a port with %s has', (_what, changes, protocol, said) => {
    const { entries, problems } = objectsOf(...changes.map((change) => instance(change as Partial<ConsulInstance>)));
    expect(entries[0].spec.ports[0].protocol).toBe(protocol);
    expect(problems).toEqual(said.map((text) => expect.stringContaining(text)));
  });

  test('are outside the mesh only where every instance says so', () => {
    const external = { external: 'yes' };
    const all = objectsOf(instance({ address: 'api.example.com', meta: external }));
    expect([all.entries[0].spec.location, all.entries[0].spec.resolution]).toEqual(['MESH_EXTERNAL', 'DNS']);
    const one = objectsOf(instance(), instance({ id: 'web-2', address: '10.1.0.2', meta: external }));
    expect(one.entries[0].spec.location).toBe('MESH_INTERNAL');
    expect(one.problems).toEqual([expect.stringContaining('external for some instances alone')]);
  });
});
