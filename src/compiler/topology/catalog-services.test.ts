import { describe, expect, test } from 'vitest';
import * as make from '../../testing/objects.ts';
import { resolve } from './testing/resolved.ts';

const annotations = { 'mesh.io/catalogService': 'web' };
const health = { 'proxy.mesh.io/health-checks-enabled': 'true' };
const entry = (changes: object = {}) =>
  make.serviceEntry(
    { name: 'default/web.80', annotations },
    {
      ...{ hosts: ['web.service.consul'], location: 'MESH_INTERNAL', resolution: 'STATIC' },
      ports: [{ number: 80, name: 'http-80', protocol: 'HTTP' }],
      endpoints: [{ address: '10.1.0.1' }, { address: '10.1.0.2' }],
      ...changes,
    },
  );
const machine = (address: string, status = 'True', labels = {}) => ({
  ...make.workloadEntry(
    { name: `default/web.${address.replaceAll('.', '-')}`, annotations: { ...annotations, ...health } },
    { address, labels },
  ),
  status: { conditions: [{ type: 'Healthy', status }] },
});
const group = make.workloadGroup('default/web', {
  template: { serviceAccount: 'web', labels: { 'security.mesh.io/tlsMode': 'mesh', tier: 'front' } },
});

describe('a service of a catalog', () => {
  test('has endpoints that are the machines of its instances, each with the account of the group of its name', () => {
    const { services, workloads } = resolve([entry(), machine('10.1.0.1'), machine('10.1.0.2', 'False'), group]);
    const [service] = services;
    const identity = 'spiffe://cluster.local/ns/default/sa/web';
    expect(service?.endpoints).toMatchObject([
      { address: '10.1.0.1', identity, hasSidecar: true, workload: { name: 'web.10-1-0-1' } },
    ]);
    // Readiness changes nothing of the cluster.
    expect(service?.facts.ports.get(80)).toMatchObject({ identities: [identity], allHaveSidecar: true });
    expect(workloads.map(({ name, targets }) => [name, targets.map(({ targetPort }) => targetPort)])).toEqual([
      ['web.10-1-0-1', [80]],
      ['web.10-1-0-2', [80]],
    ]);
  });

  test('has machines whose labels are those of the group before those of an instance', () => {
    const own = { 'security.mesh.io/tlsMode': 'disabled', tier: 'admin', version: 'v1' };
    const [workload] = resolve([entry(), machine('10.1.0.1', 'True', own), group]).workloads;
    expect(workload?.labels).toEqual({ 'security.mesh.io/tlsMode': 'mesh', tier: 'front', version: 'v1' });
  });

  test('has machines of the default account without a group, and takes no machine of another service', () => {
    const other = make.workloadEntry(
      { name: 'default/api.10-1-0-1', annotations: { 'mesh.io/catalogService': 'api' } },
      { address: '10.1.0.1', serviceAccount: 'api' },
    );
    const of = (...objects: (typeof other)[]) =>
      resolve([entry(), ...objects]).services[0]?.endpoints.map(({ identity }) => identity);
    expect(of(machine('10.1.0.1'), other)).toEqual(['spiffe://cluster.local/ns/default/sa/default', undefined]);
    expect(of(other)).toEqual([undefined, undefined]);
  });
});
