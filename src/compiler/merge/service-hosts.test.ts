import { describe, expect, test } from 'vitest';
import { meshService } from '../../testing/topology.ts';
import { matches, subsetOf } from '../topology/host.ts';
import { ServiceHosts } from './service-hosts.ts';

const hosts = ['a.example.com', '*.example.com', 'b.a.example.com', '*.org', 'web.shop.svc.cluster.local', 'plain'];
const asked = [...hosts, '*', '*.com', '*.a.example.com', '*.shop.svc.cluster.local', 'x.org', 'org', '*.net', 'c.net'];

function servicesOf(names: readonly string[]): ServiceHosts {
  return new ServiceHosts(names.map((host) => ({ ...meshService('web'), host })));
}

describe('ServiceHosts', () => {
  test.each(asked)('meets %s where a host covers it or is covered by it', (host) => {
    for (const name of [...hosts, '*']) expect(servicesOf([name]).meets(host), name).toBe(matches(host, name));
    expect(servicesOf(hosts).meets(host)).toBe(hosts.some((name) => matches(host, name)));
  });

  test.each(asked.filter((host) => host.startsWith('*')))(
    'has under %s the services that it covers, in their order',
    (host) => {
      const found = servicesOf(hosts)
        .under(host)
        .map((service) => service.host);
      expect(found).toEqual(hosts.filter((name) => subsetOf(name, host)));
    },
  );

  test.each([
    ['wbe.shop.svc.cluster.local', 'web.shop.svc.cluster.local'],
    ['wbe.shop.svc.cluster.lokal', undefined],
    ['plian', undefined],
  ])('finds for %s in the same domain: %s', (host, meant) => {
    expect(servicesOf(hosts).nearest(host)).toBe(meant);
  });

  test('lists its hosts once, however many unknown hosts are asked for', () => {
    let read = 0;
    const names = Array.from({ length: 500 }, (_, i) => `service-${i.toString(36)}.example.com`);
    const services = names.map((name) => ({
      ...meshService('web'),
      get host() {
        read += 1;
        return name;
      },
    }));
    const all = new ServiceHosts(services);
    for (const name of names) {
      expect(all.meets(name.replace('.com', '.org'))).toBe(false);
      expect(all.nearest(name.replace('service', 'servcie'))).toBe(name);
    }
    expect(read).toBe(names.length);
  });
});
