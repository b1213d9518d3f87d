import { describe, expect, test } from 'vitest';
import * as make from '../../testing/objects.ts';
import { app, container, resolve, web, webPod, webWithout } from './testing/resolved.ts';

describe('services', () => {
  test('makes a service with the endpoints that its selector finds', () => {
    const { services, workloads, diagnostics, namespaces } = resolve([webPod, web, webWithout]);
    expect(diagnostics).toEqual([]);
    expect([...namespaces.keys()]).toEqual(['shop']);
    const [service] = services;
    expect(service).toMatchObject({
      host: 'web.shop.svc.cluster.local',
      resolution: 'client',
      addresses: ['10.96.0.1'],
      ports: [{ number: 80, name: 'http', protocol: 'http' }],
      exportTo: ['*'],
    });
    expect(service?.endpoints).toMatchObject([
      {
        servicePort: 80,
        address: '10.0.0.1',
        port: 8080,
        hasSidecar: true,
        identity: 'spiffe://cluster.local/ns/shop/sa/web',
        workload: { namespace: 'shop', name: 'web-1' },
      },
      { address: '10.0.0.2', hasSidecar: false, identity: 'spiffe://cluster.local/ns/shop/sa/default' },
    ]);
    expect(workloads.map(({ name, role }) => [name, role])).toEqual([
      ['web-1', 'sidecar'],
      ['web-2', 'none'],
    ]);
    expect(workloads[0]?.targets).toMatchObject([{ service: { host: service?.host }, targetPort: 8080 }]);
    expect(workloads[0]?.targets[0]?.port).toBe(service?.ports[0]);
  });

  test('makes headless and external services', () => {
    const headless = make.service('shop/db', { clusterIP: 'None', selector: app, ports: [{ port: 3306 }] });
    const external = make.service('shop/ext', {
      type: 'ExternalName',
      externalName: 'API.example.com',
      ports: [{ name: 'https', port: 443 }],
    });
    const { services } = resolve([headless, external, webPod]);
    expect(services).toMatchObject([
      { name: 'db', isHeadless: true, resolution: 'passthrough', addresses: [], ports: [{ protocol: 'tcp' }] },
      { name: 'ext', isExternal: true, resolution: 'dns', endpoints: [{ address: 'api.example.com', port: 443 }] },
    ]);
    expect(services[0]?.endpoints).toMatchObject([{ address: '10.0.0.1', port: 3306 }]);
  });

  test('gives dual-stack services one endpoint a family', () => {
    const dual = { ...web, spec: { ...web.spec, clusterIPs: ['10.96.0.1', 'FD00::1'] } };
    const status = { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd01:0::1' }] };
    const both = make.pod({ name: 'shop/web-1', labels: app }, undefined, { containers: [container] }, status);
    const { services, workloads } = resolve([dual, both]);
    expect(services[0]?.addresses).toEqual(['10.96.0.1', 'fd00::1']);
    expect(services[0]?.endpoints.map(({ address }) => address)).toEqual(['10.0.0.1', 'fd01::1']);
    expect(workloads[0]?.families).toEqual(['ipv4', 'ipv6']);
  });

  test('keeps the first of two definitions of a host in a namespace; other namespaces keep theirs', () => {
    const entry = (name: string, createdAt: number, exportTo: string[]) =>
      make.serviceEntry({ name, createdAt }, { hosts: ['a.com'], exportTo });
    const { services, diagnostics } = resolve([
      entry('x/young', 3, ['*']),
      entry('x/old', 1, ['*']),
      entry('y/own', 2, ['.', 'x']),
      entry('z/public', 4, ['*']),
    ]);
    expect(services.map(({ object }) => object.name)).toEqual(['old', 'own', 'public']);
    expect(diagnostics).toEqual([
      ['duplicate-host', 'ServiceEntry/x/young#spec.hosts.0'],
      ['duplicate-host', 'ServiceEntry/z/public#spec.hosts.0'],
    ]);
  });

  test('keeps a Service before an older ServiceEntry of its host', () => {
    const late = make.service({ name: 'shop/web', createdAt: 9 }, { clusterIP: '10.96.0.1' });
    const thief = { hosts: ['web.shop.svc.cluster.local'] };
    const { services, diagnostics } = resolve([
      late,
      make.serviceEntry({ name: 'shop/beside', createdAt: 1 }, thief),
      make.serviceEntry({ name: 'evil/elsewhere', createdAt: 1 }, thief),
    ]);
    expect(services.map(({ object }) => object.name)).toEqual(['elsewhere', 'web']);
    expect(diagnostics).toEqual([
      ['duplicate-host', 'ServiceEntry/evil/elsewhere#spec.hosts.0'],
      ['duplicate-host', 'ServiceEntry/shop/beside#spec.hosts.0'],
    ]);
  });
});
