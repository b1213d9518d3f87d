import { describe, expect, test } from 'vitest';
import { endpoint } from '../../../testing/topology.ts';
import { clustersOf, host, type Options, without, withSidecar } from './testing/clusters-of.ts';

describe('how a cluster finds its hosts', () => {
  test.each<[string, Options, string]>([
    ['client', {}, 'eds'],
    ['dns', { service: { resolution: 'dns' } }, 'strict-dns'],
    ['dns, round robin', { service: { resolution: 'dns', dnsRoundRobin: true } }, 'logical-dns'],
    [
      'dns, round robin over two names',
      { service: { resolution: 'dns', dnsRoundRobin: true, endpoints: [withSidecar, without] } },
      'strict-dns',
    ],
    ['dns without endpoints', { service: { resolution: 'dns', endpoints: [] } }, 'static'],
    ['passthrough', { service: { resolution: 'passthrough' } }, 'original-dst'],
    ['passthrough at a router', { service: { resolution: 'passthrough' }, scope: { role: 'router' } }, 'eds'],
    ['balancer PASSTHROUGH', { rule: { loadBalancer: { simple: 'PASSTHROUGH' } } }, 'original-dst'],
  ])('with resolution %s', (_, options, type) => {
    const { first } = clustersOf(options);
    expect(first.type).toBe(type);
    if (type === 'original-dst')
      expect(first).toMatchObject({ endpoints: undefined, loadBalancing: { policy: 'cluster-provided' } });
  });

  test.each([
    [['ipv4'], 'v4'],
    [['ipv6'], 'v6'],
    [['ipv4', 'ipv6'], 'all'],
  ] as const)('a proxy of families %s looks names up as %s', (families, expected) => {
    const { first } = clustersOf({
      service: { resolution: 'dns', endpoints: [endpoint('a.example')] },
      scope: { families },
      settings: { dnsRefreshRateMs: 9 },
    });
    expect(first.dns).toEqual({ refreshRateMs: 9, families: expected });
  });

  test('endpoints stand by locality, the mesh’s marked, those of another family left out', () => {
    const service = {
      endpoints: [
        endpoint('10.1.0.2', { locality: 'r/z2', weight: 3 }),
        endpoint('10.1.0.1', { locality: 'r/z1/s', hasSidecar: true }),
        endpoint('fd00::1'),
        endpoint('unix:///run/app.sock', { port: 0 }),
      ],
    };
    const localities = clustersOf({ service, rule: { outlierDetection: {} } }).first.endpoints?.localities;
    expect(localities).toMatchObject([
      { region: '', endpoints: [{ address: '/run/app.sock', port: 0 }], weight: 1 },
      { region: 'r', zone: 'z1', subZone: 's', endpoints: [{ address: '10.1.0.1', hasSidecar: true }], weight: 1 },
      { region: 'r', zone: 'z2', subZone: '', endpoints: [{ address: '10.1.0.2', weight: 3 }], weight: 3 },
    ]);
  });

  test('a subset has the endpoints that carry its labels; one that has none stays, empty, for DNS too', () => {
    const subsets = { v1: { version: 'v1' }, v9: { version: 'v9' } };
    const addresses = (options: Options) =>
      clustersOf({ ...options, subsets }).clusters.map(({ name, endpoints }) => [
        name.split('|')[2],
        endpoints?.localities.flatMap((locality) => locality.endpoints.map(({ address }) => address)),
      ]);
    const both = ['10.1.0.1', '10.1.0.2'];
    const service = { endpoints: [withSidecar, without] };
    expect(addresses({ service })).toEqual([
      ['', both],
      ['v1', ['10.1.0.1']],
      ['v9', []],
    ]);
    expect(addresses({ service: { ...service, resolution: 'dns' } })).toEqual(addresses({ service }));
    expect(clustersOf({ service: { ...service, resolution: 'dns' }, subsets }).conflicts).toEqual([
      { metric: 'pilot_dns_cluster_without_endpoints', key: `outbound|8000|v9|${host}` },
    ]);
  });
});
