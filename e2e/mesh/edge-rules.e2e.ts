import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizationPolicy, pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { under } from '../testing/server-mesh.ts';

const gatewayAddress = '10.77.0.20';

const topology = topologyText([
  ...['foo', 'bar'].flatMap((namespace, i) => [
    pod({
      namespace,
      name: 'server',
      index: 10 + i,
      ports: { 'http-resource': 8000 + 10 * i, 'http-resource-more': 8001 + 10 * i },
    }),
    service({ namespace, name: 'server', index: 10 + i, ports: { http: 8000 + 10 * i, 'http-more': 8001 + 10 * i } }),
  ]),
  pod({ namespace: 'mesh-system', name: 'ingressgateway', index: 20, isRouter: true }),
  service({
    namespace: 'mesh-system',
    name: 'ingressgateway',
    index: 20,
    ports: { http: 80, 'http-other': 81 },
    targetPorts: { http: 8080, 'http-other': 8081 },
  }),
  pod({ namespace: 'foo', name: 'client', index: 14 }),
  pod({ namespace: 'legacy', name: 'client', index: 13, hasSidecar: false }),
]);

interface ServerOptions {
  readonly name?: string;
  readonly app?: string;
  readonly port?: number;
  readonly hosts?: readonly string[];
}

function gateway({ name = 'edge', app = 'ingressgateway', port = 80, hosts = ['*'] }: ServerOptions = {}): object {
  return {
    apiVersion: 'networking.mesh.io/v1alpha3',
    kind: 'Gateway',
    metadata: { namespace: 'foo', name },
    spec: { selector: { app }, servers: [{ port: { number: port, name: `http-${name}`, protocol: 'HTTP' }, hosts }] },
  };
}

interface RouteOptions {
  readonly name?: string;
  readonly hosts?: readonly string[];
  readonly gateways?: readonly string[];
  /** `namespace:port` of the backend. */
  readonly to?: string;
}

function virtualService(options: RouteOptions = {}): object {
  const { name = 'server', hosts = ['*'], gateways = ['edge'], to = 'foo:8000' } = options;
  const [namespace, port] = to.split(':');
  const destination = { host: `server.${namespace}.svc.cluster.local`, port: { number: Number(port) } };
  return {
    apiVersion: 'networking.mesh.io/v1alpha3',
    kind: 'VirtualService',
    metadata: { namespace: 'foo', name },
    spec: { hosts, gateways, http: [{ route: [{ destination }] }] },
  };
}

describeMesh('a mesh with an ingress gateway', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({ topology });
  });
  afterAll(() => testbed?.close());

  /** Status, and the port of the backend that answered; `exit N` where there was no answer. */
  async function ask(host: string, port = 8080): Promise<string> {
    const headers = { Host: host };
    const { status, exitCode, body } = await testbed.request({
      from: 'legacy/client',
      to: gatewayAddress,
      port,
      headers,
    });
    if (status === '000') return `exit ${exitCode}`;
    return status === '200' ? `200 from ${(JSON.parse(body) as { readonly port: number }).port}` : status;
  }

  const closed = 'exit 7';
  test.each<[string, readonly object[], Readonly<Record<string, string>>]>([
    ['no Gateway', [], { 'a.example': closed }],
    ['a Gateway without routes', [gateway()], { 'a.example': '404' }],
    ['a Gateway of all hosts', [gateway(), virtualService()], { 'a.example': '200 from 8000', b: '200 from 8000' }],
    [
      'a Gateway that lists hosts',
      [gateway({ hosts: ['a.example', '*.b.example'] }), virtualService()],
      { 'a.example': '200 from 8000', 'x.b.example': '200 from 8000', 'b.example': '404', 'c.example': '404' },
    ],
    [
      'a VirtualService that lists hosts',
      [gateway(), virtualService({ hosts: ['a.example', 'c.example'] })],
      { 'a.example': '200 from 8000', 'c.example': '200 from 8000', 'b.example': '404' },
    ],
    [
      'a Gateway that selects another workload',
      [gateway({ app: 'server' }), virtualService()],
      { 'a.example': closed },
    ],
    [
      'a VirtualService bound to another Gateway',
      [gateway(), gateway({ name: 'other', port: 81 }), virtualService({ gateways: ['other'] })],
      { 'a.example': '404' },
    ],
    ['a destination by its port', [gateway(), virtualService({ to: 'foo:8001' })], { 'a.example': '200 from 8001' }],
    ['a destination by its host', [gateway(), virtualService({ to: 'bar:8011' })], { 'a.example': '200 from 8011' }],
    [
      'two VirtualServices',
      [
        gateway(),
        virtualService({ hosts: ['a.example'] }),
        virtualService({ name: 'more', hosts: ['b.example'], to: 'bar:8010' }),
      ],
      { 'a.example': '200 from 8000', 'b.example': '200 from 8010', 'c.example': '404' },
    ],
  ])('under %s each host gets what its routes say', async (_name, objects, expected) => {
    await under(testbed, objects, async () => {
      const seen: Record<string, string> = {};
      for (const host of Object.keys(expected)) seen[host] = await ask(host);
      expect(seen).toEqual(expected);
    });
    expect(await ask('a.example')).toBe(closed);
  });

  test('a server opens the port that the gateway’s Service maps its number to', async () => {
    const objects = [
      gateway(),
      gateway({ name: 'other', port: 81 }),
      virtualService({ gateways: ['edge', 'other'] }),
      virtualService({ name: 'own', hosts: ['b.example'], gateways: ['other'], to: 'foo:8001' }),
    ];
    await under(testbed, objects, async () => {
      expect(await ask('a.example', 8080)).toBe('200 from 8000');
      expect(await ask('a.example', 8081)).toBe('200 from 8000');
      expect(await ask('b.example', 8080)).toBe('200 from 8000');
      expect(await ask('b.example', 8081)).toBe('200 from 8001');
    });
  });

  test('an AuthorizationPolicy holds for the workloads that it selects, of its namespace', async () => {
    const rules = [{ to: [{ operation: { paths: ['/denied'] } }] }];
    const statusOf = async (to: string, port: number, path: string): Promise<string> =>
      (await testbed.request({ from: 'legacy/client', to, port, path })).status;
    const policies = [authorizationPolicy({ namespace: 'foo', name: 'one', app: 'server', action: 'DENY', rules })];
    await under(testbed, policies, async () => {
      expect(await statusOf('server.foo', 8000, '/denied')).toBe('403');
      expect(await statusOf('server.foo', 8001, '/denied')).toBe('403');
      expect(await statusOf('server.foo', 8000, '/other')).toBe('200');
      expect(await statusOf('server.bar', 8010, '/denied')).toBe('200');
    });
    expect(await statusOf('server.foo', 8000, '/denied')).toBe('200');
  });

  test('a VirtualService without gateways holds for sidecars alone', async () => {
    const { spec, ...rest } = virtualService({ hosts: ['server.foo.svc.cluster.local'], to: 'bar:8011' }) as {
      readonly spec: { readonly gateways?: unknown };
    };
    const { gateways: _gateways, ...inMesh } = spec;
    const portOf = async (from: string): Promise<unknown> =>
      JSON.parse((await testbed.request({ from, to: 'server.foo' })).body).port;
    await under(testbed, [gateway(), { ...rest, spec: inMesh }], async () => {
      expect(await portOf('foo/client')).toBe(8011);
      expect(await portOf('legacy/client')).toBe(8000);
      expect(await ask('server.foo.svc.cluster.local')).toBe('404');
    });
    expect(await portOf('foo/client')).toBe(8000);
  });
});
