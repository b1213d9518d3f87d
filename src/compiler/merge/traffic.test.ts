import { describe, expect, test } from 'vitest';
import { host, mergeBench, rule } from './testing/merge-bench.ts';

describe('traffic of one port', () => {
  const pool = { tcp: { maxConnections: 7 } };
  const mesh = { mode: 'MESH_MUTUAL' } as const;
  const off = { mode: 'DISABLE' } as const;
  const random = { simple: 'RANDOM' } as const;
  const port = { number: 80 };
  const v1 = (trafficPolicy: object) => [{ name: 'v1', trafficPolicy }];

  test.each([
    ['rule level', { trafficPolicy: { tls: mesh, loadBalancer: random } }, '', { tls: mesh, loadBalancer: random }],
    [
      'a port entry takes away what it leaves out',
      { trafficPolicy: { tls: mesh, portLevelSettings: [{ port, connectionPool: pool }] } },
      '',
      { connectionPool: pool },
    ],
    [
      'an entry for another port says nothing',
      { trafficPolicy: { tls: mesh, portLevelSettings: [{ port: { number: 81 }, tls: off }] } },
      '',
      { tls: mesh },
    ],
    [
      'a subset lays its blocks over the rule',
      { trafficPolicy: { tls: mesh, loadBalancer: random }, subsets: v1({ tls: off }) },
      'v1',
      { tls: off, loadBalancer: random },
    ],
    [
      "a subset's block over the rule's port entry",
      { trafficPolicy: { tls: mesh, portLevelSettings: [{ port, tls: off }] }, subsets: v1({ loadBalancer: random }) },
      'v1',
      { tls: off, loadBalancer: random },
    ],
    [
      "the subset's port entry alone",
      {
        trafficPolicy: { tls: mesh },
        subsets: v1({ loadBalancer: random, portLevelSettings: [{ port, connectionPool: pool }] }),
      },
      'v1',
      { connectionPool: pool },
    ],
    ['no rule', undefined, '', {}],
  ] as const)('takes each block from one place: %s', (_, spec, subset, expected) => {
    const rules = spec === undefined ? [] : [rule('home/a', { host, ...spec })];
    const [web] = mergeBench({ rules }).compile().outbound('home/client');
    const traffic = web!.subsets.find(({ name }) => name === subset)!.traffic;
    expect([...traffic.keys()]).toEqual([80, 81]);
    expect(traffic.get(80)!.blocks).toEqual(expected);
  });

  test('names the blocks in force and those that were replaced', () => {
    const portLevelSettings = [{ port, connectionPool: pool }];
    const rules = [
      rule('home/a', { host, trafficPolicy: { tls: mesh, portLevelSettings }, subsets: v1({ tls: off }) }),
    ];
    const [web] = mergeBench({ rules }).compile().outbound('home/client');
    const { origins } = web!.subsets[1]!.traffic.get(80)!;
    expect(origins.decidedBy.map(({ field }) => field.join('.'))).toEqual([
      'spec.subsets.0.trafficPolicy.tls.mode',
      'spec.trafficPolicy.portLevelSettings.0.connectionPool',
    ]);
    expect(origins.overrode.map(({ field }) => field.join('.'))).toEqual(['spec.trafficPolicy.tls.mode']);
  });

  test('merges rules of one host: the oldest traffic policy as a whole, subsets by name', () => {
    const rules = [
      rule(
        { name: 'home/young', createdAt: 2 },
        {
          host,
          trafficPolicy: { loadBalancer: random },
          subsets: [{ name: 'v1', labels: { version: 'young' } }, { name: 'v0' }],
        },
      ),
      rule(
        { name: 'home/old', createdAt: 1 },
        {
          host,
          trafficPolicy: { tls: off },
          subsets: [{ name: 'v1', labels: { version: 'old' } }],
        },
      ),
    ];
    const { outbound, diagnostics } = mergeBench({ rules }).compile();
    const [web] = outbound('home/client');
    expect(web!.subsets.map(({ name, labels }) => [name, labels])).toEqual([
      ['', {}],
      ['v0', {}],
      ['v1', { version: 'old' }],
    ]);
    expect(web!.subsets[0]!.traffic.get(80)!.blocks).toEqual({ tls: off });
    expect(diagnostics).toEqual([
      'ignored-traffic-policy DestinationRule/home/young#spec.trafficPolicy',
      'duplicate-subset DestinationRule/home/young#spec.subsets.0.name',
    ]);
  });

  test('reports a port that no matching service has', () => {
    const settings = (number: number) => ({ portLevelSettings: [{ port: { number }, tls: off }] });
    const rules = [
      rule('home/a', { host, trafficPolicy: settings(8090), subsets: v1(settings(8090)) }),
      rule('home/b', { host: '*.local', trafficPolicy: settings(81) }),
      rule('home/c', { host: 'nowhere.example.com', trafficPolicy: settings(5) }),
    ];
    expect(mergeBench({ rules }).compile().diagnostics).toEqual([
      'unknown-service-port DestinationRule/home/a#spec.trafficPolicy.portLevelSettings.0.port.number',
      'unknown-service-port DestinationRule/home/a#spec.subsets.0.trafficPolicy.portLevelSettings.0.port.number',
      'unknown-host DestinationRule/home/c#spec.host',
    ]);
  });

  test('reports a rule for a host that no service has, and one for clients that are not there', () => {
    const workloadSelector = { matchLabels: { app: 'client', tier: 'back' } };
    const rules = [
      rule('home/a', { host: 'web.shop' }),
      rule('home/b', { host: `${host}.` }),
      rule('home/c', { host: '*.nowhere' }),
      rule('home/d', { host: '*.local' }),
      rule('home/e', { host, workloadSelector }),
      rule('home/f', { host, workloadSelector: { matchLabels: { app: 'client' } } }),
    ];
    expect(mergeBench({ rules }).compile().diagnostics).toEqual([
      'unknown-host DestinationRule/home/a#spec.host',
      'unknown-host DestinationRule/home/b#spec.host',
      'unknown-host DestinationRule/home/c#spec.host',
      'selector-without-workload DestinationRule/home/e#spec.workloadSelector',
    ]);
  });

  test('gives the server the connection pool of the rule that its namespace sees, and nothing else', () => {
    const rules = [rule('shop/a', { host: 'web', trafficPolicy: { tls: off, connectionPool: pool } })];
    const { compile, workload } = mergeBench({ rules });
    const { effective } = compile();
    const [target] = workload('shop/web').targets;
    const traffic = effective.inboundTraffic('shop', target!.service, target!.port);
    expect(traffic!.blocks).toEqual({ connectionPool: pool });
    expect(traffic!.origins.decidedBy).toHaveLength(1);
    expect(compile({ rules: [] }).effective.inboundTraffic('shop', target!.service, target!.port)).toBeUndefined();
  });
});
