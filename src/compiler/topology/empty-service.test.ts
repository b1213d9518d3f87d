import { expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { TopologyObject } from '../../policy/topology-kinds.ts';
import * as make from '../../testing/objects.ts';
import { resolveTopology } from './resolve.ts';
import { app, container, web, webPod } from './testing/resolved.ts';

const { selector, ...withoutSelector } = web.spec;
const unready = { conditions: [{ type: 'Ready', status: 'False' }] };
const template = { metadata: { labels: app }, spec: { containers: [container] } };

test.each<[string, readonly TopologyObject[], RegExp, RegExp | undefined]>([
  [
    'a controller without pods',
    [web, make.controller('Deployment', 'shop/web', template)],
    /^service "shop\/web" has no endpoints: Deployment "shop\/web" has no pods in the inputs/,
    /get pods/,
  ],
  [
    'a controller that is to have none',
    [web, make.controller('Deployment', 'shop/web', template, { replicas: 0 })],
    /^service "shop\/web" has no endpoints: Deployment "shop\/web" has replicas: 0$/,
    undefined,
  ],
  [
    'a selector with a label more than the pods have',
    [
      make.service('shop/web', { ...web.spec, selector: { ...app, tier: 'back' } }),
      make.controller('Deployment', 'shop/web', template),
    ],
    /its selector matches no workload$/,
    /^take "tier: back" out of the selector, or give it to the pods: those of "shop\/web" have "app: web" alone$/,
  ],
  [
    'a group without machines',
    [web, make.workloadGroup('shop/web', { metadata: { labels: app }, template: {} })],
    /^service "shop\/web" has no endpoints: WorkloadGroup "shop\/web" has no WorkloadEntries in the inputs/,
    /get workloadentries/,
  ],
  ['no workload', [web], /its selector matches no workload$/, /get pods/],
  [
    'no selector and no records',
    [make.service('shop/web', withoutSelector)],
    /no selector, and no Endpoints/,
    /endpointslices/,
  ],
  ['empty Endpoints', [web, webPod, make.endpoints('shop/web', [])], /have no ready address$/, undefined],
  [
    'pods that are not ready',
    [web, make.pod({ name: 'shop/w', labels: app }, '10.0.0.3', { containers: [container] }, unready)],
    /is ready and has the port$/,
    undefined,
  ],
])('a service with %s is warned of, with what to add', (_, objects, message, hint) => {
  const bag = new DiagnosticBag();
  resolveTopology(objects, defaultSettings, bag);
  const [only, ...rest] = bag.all;
  expect([only?.code, only?.message, rest]).toEqual(['service-without-endpoints', expect.stringMatching(message), []]);
  if (hint === undefined) expect(only?.hint).toBeUndefined();
  else expect(only?.hint).toMatch(hint);
});

test('of a service whose machine has no usable address pods are not asked for', () => {
  const bag = new DiagnosticBag();
  const machine = make.workloadEntry('shop/vm', { address: '10.0.0.300', labels: app });
  resolveTopology([web, machine], defaultSettings, bag);
  const [said] = bag.all.filter(({ code }) => code === 'service-without-endpoints');
  expect(said?.message).toMatch(/has no endpoints: WorkloadEntry "shop\/vm" has no address that can be used$/);
  expect(said?.hint).toBeUndefined();
});

const http = { number: 80, name: 'http', protocol: 'HTTP' } as const;
const entry = (spec: Parameters<typeof make.serviceEntry>[1]) => make.serviceEntry('shop/api', spec);
const hosts = ['api.example.com', 'other.example.com'];

test.each<[string, TopologyObject, string]>([
  [
    'a ServiceEntry without endpoints',
    entry({ hosts, ports: [http], resolution: 'STATIC' }),
    'ServiceEntry "shop/api" has no endpoints: its resolution is STATIC, and "endpoints" is missing',
  ],
  [
    'a ServiceEntry that selects nobody',
    entry({ hosts, ports: [http], resolution: 'STATIC', workloadSelector: { labels: { app: 'nobody' } } }),
    'ServiceEntry "shop/api" has no endpoints: its workloadSelector matches no workload',
  ],
  [
    'a WorkloadEntry that no service has',
    make.workloadEntry('shop/vm', { address: '10.0.0.7', labels: { app: 'vm' } }),
    'WorkloadEntry "shop/vm" has no effect',
  ],
])('%s is warned of, once', (_, object, text) => {
  const bag = new DiagnosticBag();
  resolveTopology([web, webPod, object], defaultSettings, bag);
  expect(bag.all.map(({ message }) => message)).toEqual([expect.stringContaining(text)]);
});

test('an object that leads somewhere without ports, endpoints or services of its own is not warned of', () => {
  const bag = new DiagnosticBag();
  const objects = [
    make.service('shop/pods', { clusterIP: 'None', selector: app }),
    make.service('shop/out', { type: 'ExternalName', externalName: 'a.example.com' }),
    entry({ hosts, ports: [http] }),
    make.workloadEntry('shop/client', { address: '10.0.0.8', labels: { 'security.mesh.io/tlsMode': 'mesh' } }),
    make.workloadEntry('shop/written', { address: '10.0.0.9' }),
    make.service('other/written', { ports: [{ name: 'http', port: 80 }] }),
    make.endpoints('other/written', [{ addresses: [{ ip: '10.0.0.9' }], ports: [{ name: 'http', port: 80 }] }]),
  ];
  resolveTopology([web, webPod, ...objects], defaultSettings, bag);
  expect(bag.all.map(({ message }) => message)).toEqual([]);
});

test('a service with an endpoint, of datagrams alone, or of an external name is not warned of', () => {
  const bag = new DiagnosticBag();
  const datagrams = make.service('shop/dns', { ports: [{ port: 53, protocol: 'UDP' }] });
  const external = make.service('shop/out', {
    type: 'ExternalName',
    externalName: 'a.example.com',
    ports: [{ port: 80 }],
  });
  resolveTopology([web, webPod, datagrams, external], defaultSettings, bag);
  expect(bag.all).toEqual([]);
});
