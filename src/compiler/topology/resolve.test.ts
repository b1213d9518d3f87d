import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { runs } from '../../testing/effort.ts';
import * as make from '../../testing/objects.ts';
import type { TopologyObject } from '../policy/topology-kinds.ts';
import { resolveTopology } from './resolve.ts';

function resolve(objects: readonly TopologyObject[], settings: Partial<Settings> = {}) {
  const bag = new DiagnosticBag();
  const topology = resolveTopology(objects, { ...defaultSettings, ...settings }, bag);
  const diagnostics = bag.all.map(({ code, span }) => [code, span?.file]);
  return { ...topology, diagnostics };
}

const app = { app: 'web' };
const web = make.service('shop/web', {
  clusterIP: '10.96.0.1',
  selector: app,
  ports: [{ name: 'http', port: 80, targetPort: 'web' }],
});
const container = { name: 'app', ports: [{ name: 'web', containerPort: 8080 }] };
const webPod = make.pod({ name: 'shop/web-1', labels: app }, '10.0.0.1', {
  serviceAccountName: 'web',
  containers: [container, { name: 'mesh-proxy' }],
});
const webWithout = make.pod({ name: 'shop/web-2', labels: app }, '10.0.0.2', { containers: [container] });

describe('resolveTopology', () => {
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
    expect(workloads[0]?.targets).toEqual([{ service, port: service?.ports[0], targetPort: 8080 }]);
  });

  test('leaves out and counts what is not ready, unless the service publishes it; the listener is there all the same', () => {
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    const unready = make.pod({ name: 'shop/web-3', labels: app }, '10.0.0.3', { containers: [container] }, status);
    const { services, counts, workloads } = resolve([web, unready]);
    expect(services[0]?.endpoints).toEqual([]);
    expect(counts.endpointsNotReady).toBe(1);
    expect(workloads[0]?.targets).toHaveLength(1);
    const publishing = { ...web, spec: { ...web.spec, publishNotReadyAddresses: true } };
    expect(resolve([publishing, unready]).services[0]?.endpoints).toHaveLength(1);
  });

  test('counts pods without an address, and knows nothing of pods that have ended', () => {
    const waiting = make.pod('shop/waiting', undefined, {}, { phase: 'Pending' });
    const ended = make.pod('shop/ended', '10.0.0.9', {}, { phase: 'Succeeded' });
    const { counts, workloads } = resolve([waiting, ended]);
    expect(counts.podsWithoutIp).toBe(1);
    expect(workloads.map(({ name }) => name)).toEqual(['waiting']);
  });

  test('prefers Endpoints to the selector, and matches ports by name', () => {
    const recorded = make.endpoints('shop/web', [
      {
        addresses: [{ ip: '10.0.0.1' }, { ip: '10.9.9.9', targetRef: { kind: 'Pod', name: 'gone' } }],
        notReadyAddresses: [{ ip: '10.0.0.2' }],
        ports: [
          { name: 'http', port: 9000 },
          { name: 'other', port: 9001 },
        ],
      },
    ]);
    const { services, counts } = resolve([web, webPod, webWithout, recorded]);
    expect(services[0]?.endpoints).toMatchObject([
      { address: '10.0.0.1', port: 9000, hasSidecar: true },
      { address: '10.9.9.9', port: 9000, hasSidecar: false, identity: undefined, labels: {} },
    ]);
    expect(counts).toMatchObject({ endpointsWithoutPod: 1, endpointsNotReady: 1 });
  });

  test('reads EndpointSlices only where the setting says so', () => {
    const slice = (name: string, ip: string, ready?: boolean) =>
      make.endpointSlice(
        { name: `shop/${name}`, labels: { 'kubernetes.io/service-name': 'web' } },
        {
          addressType: 'IPv4',
          endpoints: [{ addresses: [ip], ...(ready === undefined ? {} : { conditions: { ready } }), zone: 'z1' }],
          ports: [{ name: 'http', port: 8080 }],
        },
      );
    const objects = [web, webPod, slice('a', '10.0.0.7'), slice('b', '10.0.0.8', false), slice('c', '10.0.0.6', true)];
    expect(resolve(objects).services[0]?.endpoints.map(({ address }) => address)).toEqual(['10.0.0.1']);
    const { services, counts } = resolve(objects, { useEndpointSlice: true });
    expect(services[0]?.endpoints.map(({ address, locality }) => [address, locality])).toEqual([
      ['10.0.0.6', '/z1'],
      ['10.0.0.7', '/z1'],
    ]);
    expect(counts.endpointsNotReady).toBe(1);
  });

  test('never finds a pod on the node network by its address', () => {
    const host = make.pod({ name: 'shop/agent', labels: app }, '192.168.0.1', { hostNetwork: true });
    const recorded = make.endpoints('shop/web', [
      { addresses: [{ ip: '192.168.0.1' }], ports: [{ name: 'http', port: 1 }] },
    ]);
    expect(resolve([web, host, recorded]).services[0]?.endpoints[0]?.workload).toBeUndefined();
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

  test('lets a controller stand for its pods only while none of them is there', () => {
    const template = { metadata: { labels: app }, spec: { containers: [container] } };
    const deployment = make.controller('Deployment', 'shop/web', template);
    expect(resolve([deployment, web]).workloads).toMatchObject([
      { name: 'web', kind: 'Deployment', addresses: [], families: ['ipv4'], targets: [{ targetPort: 8080 }] },
    ]);
    expect(resolve([deployment, webPod]).workloads.map(({ name }) => name)).toEqual(['web-1']);
    const ipv6 = { ...web, spec: { ...web.spec, clusterIP: 'fd00::1' } };
    expect(resolve([deployment, ipv6]).workloads[0]?.families).toEqual(['ipv6']);
  });

  test('reads a ServiceEntry: one service a host, endpoints inline, by DNS or by label', () => {
    const entry = (name: string, spec: Partial<Parameters<typeof make.serviceEntry>[1]>) =>
      make.serviceEntry(`shop/${name}`, {
        hosts: [`${name}.example.com`],
        ports: [{ number: 443, name: 'https', protocol: 'HTTPS' }],
        ...spec,
      });
    const vm = make.workloadEntry('shop/vm', {
      address: '10.5.0.1',
      labels: { ...app, 'security.mesh.io/tlsMode': 'mesh' },
      ports: { https: 8443 },
      serviceAccount: 'vm',
    });
    const { services, diagnostics } = resolve([
      entry('none', { hosts: ['A.none.com', '*.none.com'], addresses: ['10.7.0.9/16'] }),
      entry('static', {
        resolution: 'STATIC',
        endpoints: [{ address: '10.4.0.1', ports: { https: 8443 } }, { address: 'unix:///run/x' }],
      }),
      entry('dns', { resolution: 'DNS' }),
      entry('dns-one', { resolution: 'DNS_ROUND_ROBIN' }),
      entry('mesh', { resolution: 'STATIC', location: 'MESH_INTERNAL', workloadSelector: { labels: app } }),
      vm,
      webPod,
    ]);
    expect(diagnostics).toEqual([]);
    expect(
      services.map(({ host, resolution, isExternal, addresses }) => [host, resolution, isExternal, addresses]),
    ).toEqual([
      ['*.none.com', 'passthrough', true, ['10.7.0.0/16']],
      ['a.none.com', 'passthrough', true, ['10.7.0.0/16']],
      ['dns-one.example.com', 'dns', true, []],
      ['dns.example.com', 'dns', true, []],
      ['mesh.example.com', 'client', false, []],
      ['static.example.com', 'client', true, []],
    ]);
    const addresses = services.map(({ endpoints }) => endpoints.map(({ address, port }) => `${address} ${port}`));
    expect(addresses.slice(2)).toEqual([
      ['dns-one.example.com 443'],
      ['dns.example.com 443'],
      ['10.0.0.1 443', '10.5.0.1 8443'],
      ['10.4.0.1 8443', 'unix:///run/x 0'],
    ]);
    expect(services.map(({ dnsRoundRobin }) => dnsRoundRobin)).toEqual([false, false, true, false, false, false]);
    expect(services[4]?.endpoints[1]).toMatchObject({
      hasSidecar: true,
      identity: 'spiffe://cluster.local/ns/shop/sa/vm',
    });
  });

  test('lets a ServiceEntry select pods only where the setting says so', () => {
    const entry = make.serviceEntry('shop/mesh', {
      hosts: ['mesh.example.com'],
      ports: [{ number: 80, name: 'http' }],
      resolution: 'STATIC',
      workloadSelector: { labels: app },
    });
    const { services, workloads } = resolve([entry, webPod], { serviceEntriesSelectPods: false });
    expect(services[0]?.endpoints).toEqual([]);
    expect(workloads[0]?.targets).toEqual([]);
  });

  test('binds a service without selector to the workloads of its namespace that its endpoints name', () => {
    const bare = make.service('shop/bare', { clusterIP: '10.96.0.2', ports: [{ name: 'http', port: 80 }] });
    const elsewhere = make.service('other/bare', { clusterIP: '10.96.0.3', ports: [{ name: 'tcp', port: 80 }] });
    const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'http', port: 8080 }] }];
    const foreign = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'tcp', port: 8080 }] }];
    const { workloads } = resolve([
      bare,
      elsewhere,
      webPod,
      make.endpoints('shop/bare', subsets),
      make.endpoints('other/bare', foreign),
    ]);
    expect(workloads[0]?.targets.map(({ service, targetPort }) => [service.namespace, targetPort])).toEqual([
      ['shop', 8080],
    ]);
  });

  test('binds the TCP port of a service without selector also where UDP has the same number', () => {
    const dns = make.service('shop/dns', {
      clusterIP: '10.96.0.2',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    });
    const subset = { addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'dns-tcp', port: 5353 }] };
    const { workloads } = resolve([dns, webPod, make.endpoints('shop/dns', [subset])]);
    expect(workloads[0]?.targets.map(({ port, targetPort }) => [port.protocol, targetPort])).toEqual([['tcp', 5353]]);
  });

  test('takes a target port for a number only when it is all digits', () => {
    const names = ['8e3', '0x50', '8080'];
    const service = make.service('shop/web', {
      selector: app,
      ports: names.map((targetPort, i) => ({ name: `http-${i}`, port: 80 + i, targetPort })),
    });
    const ports = [{ name: '8e3', containerPort: 1 }];
    const pod = make.pod({ name: 'shop/web-1', labels: app }, '10.0.0.1', { containers: [{ name: 'app', ports }] });
    expect(resolve([service, pod]).workloads[0]?.targets.map(({ targetPort }) => targetPort)).toEqual([1, 8080]);
  });

  test('keeps the oldest of two services that speak differently on one container port', () => {
    const rival = (createdAt: number, name: string, port: string) =>
      make.service(
        { name: `shop/${name}`, createdAt },
        { selector: app, ports: [{ name: port, port: 80, targetPort: 8080 }] },
      );
    const { workloads, diagnostics } = resolve([
      rival(2, 'a', 'tcp'),
      rival(1, 'b', 'http'),
      rival(3, 'c', 'http'),
      webPod,
    ]);
    expect(workloads[0]?.targets.map(({ service }) => service.name)).toEqual(['b']);
    expect(diagnostics).toEqual([['conflicting-target-port', 'Service/shop/a#spec.ports.0']]);
  });

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

  test("leaves out an endpoint that is the client's own proxy: its admin interface, or the socket of its key", () => {
    const at = (address: string, port: number) => ({ address, ports: { http: port } });
    const entry = (name: string, resolution: 'STATIC' | 'DNS', list: readonly { address: string }[]) =>
      make.serviceEntry(`shop/${name}`, {
        hosts: [`${name}.com`],
        ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
        resolution,
        endpoints: [...list, at('10.4.0.1', 15000)],
      });
    const admin = ['127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::'];
    const sockets = ['unix:///etc/mesh/proxy/SDS', 'unix:///proc/self/cwd/etc/mesh/proxy/SDS', 'unix:///SDS'];
    const { services, diagnostics } = resolve([
      entry('fixed', 'STATIC', [...admin.map((address) => at(address, 15000)), ...sockets.map((it) => at(it, 1))]),
      entry('named', 'DNS', [at('localhost', 15000), at('x.localhost', 15000)]),
      entry('other', 'STATIC', [at('127.0.0.1', 8080), at('unix:///run/app/sds', 1)]),
    ]);
    expect(services.map(({ endpoints }) => endpoints.map(({ address }) => address))).toEqual([
      ['10.4.0.1'],
      ['10.4.0.1'],
      ['10.4.0.1', '127.0.0.1', 'unix:///run/app/sds'],
    ]);
    expect(new Set(diagnostics.map(String))).toEqual(
      new Set(['fixed', 'named'].map((name) => `endpoint-of-proxy,ServiceEntry/shop/${name}#metadata.name`)),
    );
    const moved = resolve([entry('moved', 'STATIC', [at('127.0.0.1', 15000), at('127.0.0.1', 15100)])], {
      proxy: { ...defaultSettings.proxy, adminPort: 15100 },
    });
    expect(moved.services[0]?.endpoints.map(({ address, port }) => `${address} ${port}`)).toEqual([
      '10.4.0.1 15000',
      '127.0.0.1 15000',
    ]);
  });

  test.each(['unix://../x', 'unix://x', 'unix://', `unix:///${'x'.repeat(107)}`, 'unix:///a\u0000b'])(
    'refuses the socket address %j, for which Envoy would refuse every cluster',
    (address) => {
      const spec = { hosts: ['a.com'], resolution: 'STATIC', endpoints: [{ address }] } as const;
      const ports = [{ number: 80, name: 'http', protocol: 'HTTP' }];
      const { services, diagnostics } = resolve([make.serviceEntry('x/a', { ...spec, ports })]);
      expect(services[0]?.endpoints).toEqual([]);
      expect(diagnostics).toEqual([['invalid-address', 'ServiceEntry/x/a#spec.endpoints.0.address']]);
    },
  );

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

  test('tells locality, labels and weight of workloads, and who sees a service', () => {
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
        make.pod({ name: 'shop/web-1', labels: app }, '10.0.0.99'),
      ],
      [true, false],
      [true, false, false],
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
    const before = resolve(objects);
    const bag = new DiagnosticBag();
    const changed = change(objects);
    const after = resolveTopology(changed, defaultSettings, bag, before);
    expect(after.services.map((service, i) => service === before.services[i])).toEqual(sameServices);
    expect(after.workloads.map((workload, i) => workload === before.workloads[i])).toEqual(sameWorkloads);
    expect(after).toEqual(resolveTopology(changed, defaultSettings, bag));
  });
});
