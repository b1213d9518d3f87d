import { describe, expect, test } from 'vitest';
import { resolveTopology } from '../../compiler/topology/resolve.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { TopologyObject } from '../../policy/topology-kinds.ts';
import * as make from '../../testing/objects.ts';
import { endpoint, meshService, meshTopology } from '../../testing/topology.ts';
import { NameTable } from './name-table.ts';

const suffixes = ['cluster.local', 'global'];

/** Names with what they lead to, sorted. */
function textsOf(...objects: readonly TopologyObject[]): string[] {
  const names = new NameTable().of(resolveTopology(objects, defaultSettings, new DiagnosticBag()), suffixes);
  return [...names.values()]
    .map(({ name, target, addresses, viewers, isForProxies }) =>
      [
        name,
        target ?? addresses.join(' '),
        ...(viewers === 'all' ? [] : [viewers]),
        ...(isForProxies ? ['proxies'] : []),
      ].join(' | '),
    )
    .sort();
}

const ports = [{ name: 'http', port: 80 }];
const containers = [{ name: 'app', ports: [{ containerPort: 80 }] }];
const entry = (name: string, spec: Partial<Parameters<typeof make.serviceEntry>[1]>) =>
  make.serviceEntry(name, { hosts: [], ports: [{ number: 80, name: 'http', protocol: 'HTTP' }], ...spec });

describe('NameTable', () => {
  test('has the addresses of services, and of the endpoints of headless ones with the names of their pods', () => {
    const app = { app: 'db' };
    const pod = (name: string, ip: string, subdomain: string) =>
      make.pod({ name: `shop/${name}`, labels: app }, ip, { containers, hostname: name.toUpperCase(), subdomain });
    expect(
      textsOf(
        make.service('shop/web', { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1', 'fd00::1'], ports }),
        make.service('shop/db', { clusterIP: 'None', selector: app, ports }),
        ...[pod('db-0', '10.0.0.1', 'db'), pod('db-1', '10.0.0.2', 'other')],
      ),
    ).toEqual([
      'db-0.db.shop.svc.cluster.local | 10.0.0.1',
      'db.shop.svc.cluster.local | 10.0.0.1 10.0.0.2',
      'web.shop.svc.cluster.local | 10.96.0.1 fd00::1',
    ]);
  });

  test('has no name that a message cannot hold', () => {
    const named = (name: string, externalName: string) =>
      make.service(`shop/${name}`, { type: 'ExternalName', externalName, ports });
    const long = 'x'.repeat(64);
    const pod = make.pod({ name: 'shop/db-0', labels: { app: 'db' } }, '10.0.0.1', {
      ...{ containers, hostname: long, subdomain: 'db' },
    });
    const db = make.service('shop/db', { clusterIP: 'None', selector: { app: 'db' }, ports });
    const texts = textsOf(...[named('one', 'a..b'), named('two', `${long}.example.com`)], db, pod);
    expect(texts).toContain('db.shop.svc.cluster.local | 10.0.0.1');
    expect(texts.join()).not.toMatch(/a\.\.b|xxx/);
  });

  test('has services of type ExternalName as other names, within the mesh and outside of it', () => {
    const named = (name: string, externalName: string) =>
      make.service(`shop/${name}`, { type: 'ExternalName', externalName, ports });
    expect(
      textsOf(
        make.service('shop/web', { clusterIP: '10.96.0.1', ports }),
        ...[named('old', 'web.shop.svc.cluster.local'), named('out', 'WWW.example.com.')],
      ),
    ).toEqual([
      'old.shop.svc.cluster.local | web.shop.svc.cluster.local',
      'out.shop.svc.cluster.local | www.example.com',
      'web.shop.svc.cluster.local | 10.96.0.1',
    ]);
  });

  test('has hosts of ServiceEntries with an address, and no blocks', () => {
    expect(
      textsOf(
        entry('shop/a', { hosts: ['api.example.org'], addresses: ['192.0.2.1', '198.51.100.0/24'] }),
        entry('shop/b', { hosts: ['*.wild.global'], addresses: ['192.0.2.2'] }),
        entry('shop/c', { hosts: ['real.example.org'], resolution: 'DNS' }),
        entry('shop/d', { hosts: ['vm.example.org'], resolution: 'STATIC', endpoints: [{ address: '10.5.0.1' }] }),
      ),
    ).toEqual(['*.wild.global | 192.0.2.2', 'api.example.org | 192.0.2.1', 'vm.example.org | 10.5.0.1']);
  });

  test('gives hosts below a suffix of the mesh that nobody else knows an address of their own, for proxies alone', () => {
    const [name = ''] = textsOf(
      entry('shop/a', { hosts: ['api.global'], resolution: 'DNS', endpoints: [{ address: 'x.example' }] }),
    );
    expect(name).toMatch(/^api\.global \| 240\.240\.\d+\.\d+ \| proxies$/);
  });

  test('says who may know a name', () => {
    const annotations = (exportTo: string) => ({ 'networking.mesh.io/exportTo': exportTo });
    const service = (name: string, exportTo: string) =>
      make.service({ name, annotations: annotations(exportTo) }, { clusterIP: '10.96.0.1', ports });
    expect(textsOf(service('shop/a', '.'), service('shop/b', 'bank,.'), service('shop/c', '*'))).toEqual([
      'a.shop.svc.cluster.local | 10.96.0.1 | shop',
      'b.shop.svc.cluster.local | 10.96.0.1 | bank,shop',
      'c.shop.svc.cluster.local | 10.96.0.1',
    ]);
  });

  test('makes names again only of what is another service, or has other endpoints that are dialed', () => {
    const table = new NameTable();
    const [web, db] = [
      meshService('shop/web', { object: make.service('shop/web', { ports }) }),
      meshService('shop/db', {
        object: make.service('shop/db', { ports }),
        isHeadless: true,
        resolution: 'passthrough',
        addresses: [],
        endpoints: [endpoint('10.0.0.1')],
      }),
    ];
    const first = table.of(meshTopology({ services: [web, db] }), suffixes);
    const endpoints = new Map([
      [web, [endpoint('10.0.0.9')]],
      [db, [endpoint('10.0.0.2')]],
    ]);
    const second = table.of(meshTopology({ services: [web, db], endpoints }), suffixes);
    const of = (names: typeof first, name: string) => [...names.values()].find((it) => it.name.startsWith(name));
    expect(of(second, 'web')).toBe(of(first, 'web'));
    expect(of(first, 'db')?.addresses).toEqual(['10.0.0.1']);
    expect(of(second, 'db')?.addresses).toEqual(['10.0.0.2']);
  });
});
