import { describe, expect, test } from 'vitest';
import type { VirtualService } from '../../../policy/virtual-service.ts';
import { meshService, ports } from '../../../testing/topology.ts';
import type { OutboundIR } from '../../ir/proxy.ts';
import { outboundOf } from './testing/outbound-of.ts';
import { cluster, routed } from './testing/routed.ts';

describe('routes of connections', () => {
  const secure = meshService('default/secure', { ports: ports('443/tls'), addresses: ['10.0.0.4'] });
  const db = meshService('default/db', { ports: ports('5432/tcp'), addresses: ['10.0.0.5'] });
  const other = meshService('default/other', { ports: ports('5432/tcp'), addresses: ['10.0.0.6'] });
  const route = [{ destination: { host: 'other', port: { number: 5432 } } }];
  const toOther = 'outbound|5432||other.default.svc.cluster.local';

  /** Chains of a listener with what they match and where they lead; the default chain last. */
  function chains(outbound: OutboundIR, name: string): string[] {
    const listener = outbound.listeners.find((one) => one.name === name);
    return [...(listener?.filterChains ?? []), ...[listener?.defaultFilterChain ?? []].flat()].map(
      ({ match, filter }) => {
        const { serverNames, destinationPrefixes, sourcePrefixes = [] } = match;
        const conditions = [...serverNames, ...destinationPrefixes, ...sourcePrefixes.map((block) => `from ${block}`)];
        return `${conditions.join(' ') || 'any'}: ${filter.kind === 'http' ? filter.routeConfig : filter.cluster}`;
      },
    );
  }

  test('by server name take the place of a TLS port, each name once', () => {
    const spec = {
      hosts: ['secure'],
      tls: [
        { match: [{ sniHosts: ['secure', 'A.example'] }], route },
        {
          match: [{ sniHosts: ['a.example'], destinationSubnets: ['10.0.0.0/9'] }, { sniHosts: ['a.example'] }],
          route,
        },
      ],
    };
    expect(chains(outboundOf([secure, other], { virtualServices: [routed('s', spec)] }), '10.0.0.4_443')).toEqual([
      `secure: ${toOther}`,
      `a.example: ${toOther}`,
      `a.example 10.0.0.0/9: ${toOther}`,
    ]);
  });

  test.each<[string, NonNullable<VirtualService['spec']['tcp']>, string[]]>([
    ['without conditions take a port', [{ route }], [`any: ${toOther}`]],
    [
      'by address stand before the service itself',
      [{ match: [{ destinationSubnets: ['10.0.0.5/32'] }, { sourceSubnet: '10.1.0.0/16' }], route }],
      [`10.0.0.5: ${toOther}`, `from 10.1.0.0/16: ${toOther}`, `any: ${cluster('db', 5432)}`],
    ],
    [
      'behind one without conditions are never used',
      [{ route }, { match: [{ sourceSubnet: '10.1.0.0/16' }], route }],
      [`any: ${toOther}`],
    ],
    [
      'for other clients and ports say nothing',
      [{ match: [{ sourceLabels: { app: 'x' } }, { port: 1 }, { gateways: ['edge'] }], route }],
      [`any: ${cluster('db', 5432)}`],
    ],
  ])('%s', (_, tcp, expected) => {
    expect(
      chains(outboundOf([db, other], { virtualServices: [routed('db', { hosts: ['db'], tcp })] }), '10.0.0.5_5432'),
    ).toEqual(expected);
  });

  test('are shared out by weight', () => {
    const weighted = [
      { destination: { host: 'db' }, weight: 3 },
      { destination: { host: 'other' }, weight: 1 },
      { destination: { host: 'secure' }, weight: 0 },
    ];
    const outbound = outboundOf([db, other, secure], {
      virtualServices: [routed('db', { hosts: ['db'], tcp: [{ route: weighted }] })],
    });
    const filter = outbound.listeners.find(({ name }) => name === '10.0.0.5_5432')?.filterChains[0]?.filter;
    expect(filter).toMatchObject({
      weightedClusters: [
        { cluster: cluster('db', 5432), weight: 3 },
        { cluster: toOther, weight: 1 },
      ],
    });
  });
});
