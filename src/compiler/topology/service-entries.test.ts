import { describe, expect, test } from 'vitest';
import * as make from '../../testing/objects.ts';
import { app, resolve, webPod } from './testing/resolved.ts';

describe('service entries', () => {
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

  describe('that claim the address of a service', () => {
    const claim = (name: string, spec: Partial<Parameters<typeof make.serviceEntry>[1]> = {}) =>
      make.serviceEntry(name, {
        hosts: ['one.example', 'two.example'],
        addresses: ['10.8.0.1', '10.96.0.1/32', '10.96.0.0/16'],
        ports: [{ number: 80, name: 'tcp', protocol: 'TCP' }],
        resolution: 'STATIC',
        endpoints: [{ address: '10.4.0.1' }],
        ...spec,
      });
    const service = (name: string, clusterIP = '10.96.0.1') =>
      make.service(name, { clusterIP, selector: app, ports: [{ name: 'http', port: 80 }] });

    test('lose it to a service of another namespace, however old, with one warning', () => {
      const old = { ...claim('evil/claim'), createdAt: 1 };
      const { services, diagnostics } = resolve([service('shop/web'), webPod, old]);
      const claims = services.filter(({ kind }) => kind === 'ServiceEntry');
      expect(claims.map(({ addresses }) => addresses)).toEqual(Array(2).fill(['10.8.0.1', '10.96.0.0/16']));
      expect(claims[0]?.lostAddresses).toEqual(['10.96.0.1']);
      expect(diagnostics).toEqual([['address-of-service', 'ServiceEntry/evil/claim#spec.addresses.1']]);
    });

    test('lose the address of a pod of a headless service', () => {
      const { services } = resolve([
        service('shop/web', 'None'),
        webPod,
        claim('evil/claim', { addresses: ['10.0.0.1'] }),
      ]);
      expect(services.map(({ host, lostAddresses }) => [host, lostAddresses])).toContainEqual([
        'one.example',
        ['10.0.0.1'],
      ]);
    });

    test('keep it in the namespace of the service, and what another entry claims', () => {
      const objects = [service('shop/web'), claim('shop/claim'), claim('other/claim', { addresses: ['10.8.0.1'] })];
      const { services } = resolve(objects);
      expect(services.flatMap(({ lostAddresses = [] }) => lostAddresses)).toEqual([]);
    });
  });
});
