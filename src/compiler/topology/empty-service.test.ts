import { expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import * as make from '../../testing/objects.ts';
import type { TopologyObject } from '../policy/topology-kinds.ts';
import { resolveTopology } from './resolve.ts';
import { app, container, web, webPod } from './testing/resolved.ts';

const { selector, ...withoutSelector } = web.spec;
const unready = { conditions: [{ type: 'Ready', status: 'False' }] };
const template = { metadata: { labels: app }, spec: { containers: [container] } };

test.each<[string, readonly TopologyObject[], RegExp, RegExp | undefined]>([
  [
    'a controller without pods',
    [web, make.controller('Deployment', 'shop/web', template)],
    /^service "shop\/web" has no endpoints: Deployment "shop\/web" stands for pods/,
    /get pods/,
  ],
  ['no workload', [web], /its selector matches no workload$/, /get pods/],
  [
    'no selector and no records',
    [make.service('shop/web', withoutSelector)],
    /no selector, and no Endpoints/,
    /endpointslices/,
  ],
  ['empty Endpoints', [web, webPod, make.endpoints('shop/web', [])], /name no server that is ready$/, undefined],
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
