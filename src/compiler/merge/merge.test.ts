import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { runs } from '../../testing/effort.ts';
import * as make from '../../testing/objects.ts';
import type { DestinationRule, LocalityLoadBalancing } from '../policy/destination-rule.ts';
import type { PeerAuthentication } from '../policy/peer-authentication.ts';
import { noPolicies } from '../policy/policy-set.ts';
import type { TopologyObject } from '../policy/topology-kinds.ts';
import type { Workload } from '../topology/model.ts';
import { resolveTopology } from '../topology/resolve.ts';
import type { ClientScope, Effective } from './effective.ts';
import { clientScope, merge } from './merge.ts';

const peer = make.peerAuthentication;
const rule = make.destinationRule;
const app = { app: 'web' };
const selector = { matchLabels: app };

const base: readonly TopologyObject[] = [
  make.pod({ name: 'shop/web', labels: app }, '10.0.0.1'),
  make.pod({ name: 'shop/other', labels: { app: 'other' } }, '10.0.0.2'),
  make.pod({ name: 'home/client', labels: { app: 'client', tier: 'front' } }, '10.0.1.1'),
  make.pod({ name: 'mesh-system/gateway', labels: app }, '10.0.2.1', {
    containers: [{ name: 'mesh-proxy', args: ['proxy', 'router'] }],
  }),
  make.service('shop/web', {
    selector: app,
    ports: [
      { name: 'http', port: 80, targetPort: 8090 },
      { name: 'tcp', port: 81 },
    ],
  }),
];
const host = 'web.shop.svc.cluster.local';

interface Policies {
  readonly peers?: readonly PeerAuthentication[];
  readonly rules?: readonly DestinationRule[];
  readonly objects?: readonly TopologyObject[];
  readonly settings?: Partial<Settings>;
}

function setUp({ peers = [], rules = [], objects = base, settings: changes = {} }: Policies) {
  const settings = { ...defaultSettings, ...changes };
  const topology = resolveTopology(objects, settings, new DiagnosticBag());
  const workload = (name: string): Workload => topology.workloads.find((it) => `${it.namespace}/${it.name}` === name)!;
  const compile = (changed: Policies = {}, previous?: Effective) => {
    const bag = new DiagnosticBag();
    const destinationRules = changed.rules ?? rules;
    const peerAuthentications = changed.peers ?? peers;
    const input = { ...noPolicies, peerAuthentications, destinationRules, topology, settings };
    const effective = merge(input, bag, previous);
    const scope = (name: string): ClientScope => clientScope(workload(name), settings, destinationRules);
    const diagnostics = bag.all.map(({ code, span }) => `${code} ${span?.file}`);
    return { effective, diagnostics, scope, outbound: (name: string) => effective.outbound(scope(name)) };
  };
  return { workload, topology, compile };
}

/** Overall mode and modes by port of `shop/web`. */
function modesOf(peers: readonly PeerAuthentication[], workload = 'shop/web') {
  const { compile, workload: find } = setUp({ peers });
  const { effective, diagnostics } = compile();
  const { mode, ports } = effective.inbound(find(workload));
  const byPort = Object.fromEntries([...ports].map(([port, { value }]) => [port, value]));
  return { mode: mode.value, ports: byPort, diagnostics };
}

describe('inbound', () => {
  const mesh = (mode: 'UNSET' | 'STRICT' | 'DISABLE') => peer('mesh-system/mesh', { mtls: { mode } });
  const ns = (mode: 'UNSET' | 'STRICT' | 'DISABLE') => peer('shop/ns', { mtls: { mode } });

  test.each([
    ['nothing', [], 'PERMISSIVE', {}],
    ['mesh UNSET', [mesh('UNSET')], 'PERMISSIVE', {}],
    ['mesh without mtls', [peer('mesh-system/mesh', {})], 'PERMISSIVE', {}],
    ['mesh STRICT', [mesh('STRICT')], 'STRICT', {}],
    ['namespace over mesh', [mesh('STRICT'), ns('DISABLE')], 'DISABLE', {}],
    ['namespace UNSET inherits', [mesh('STRICT'), ns('UNSET')], 'STRICT', {}],
    [
      'empty selector is none',
      [peer('shop/ns', { selector: { matchLabels: {} }, mtls: { mode: 'STRICT' } })],
      'STRICT',
      {},
    ],
    ['another namespace says nothing', [peer('home/ns', { mtls: { mode: 'STRICT' } })], 'PERMISSIVE', {}],
    [
      'workload UNSET with ports under a STRICT namespace',
      [ns('STRICT'), peer('shop/w', { selector, portLevelMtls: { 81: { mode: 'DISABLE' }, 8090: { mode: 'UNSET' } } })],
      'STRICT',
      { 81: 'DISABLE' },
    ],
    [
      'service port instead of container port',
      [peer('shop/w', { selector, mtls: { mode: 'STRICT' }, portLevelMtls: { 80: { mode: 'DISABLE' } } })],
      'STRICT',
      {},
    ],
    [
      'workload DISABLE, one port STRICT',
      [peer('shop/w', { selector, mtls: { mode: 'DISABLE' }, portLevelMtls: { 8090: { mode: 'STRICT' } } })],
      'DISABLE',
      { 8090: 'STRICT' },
    ],
    [
      'the older of two workload policies alone',
      [
        peer({ name: 'shop/a', createdAt: 2 }, { selector, portLevelMtls: { 81: { mode: 'STRICT' } } }),
        peer({ name: 'shop/b', createdAt: 1 }, { selector, mtls: { mode: 'DISABLE' } }),
      ],
      'DISABLE',
      {},
    ],
    [
      'the lower name of two equally old ones',
      [peer('shop/b', { mtls: { mode: 'STRICT' } }), peer('shop/a', { mtls: { mode: 'DISABLE' } })],
      'DISABLE',
      {},
    ],
    [
      'selector in the root namespace',
      [peer('mesh-system/w', { selector, mtls: { mode: 'STRICT' } })],
      'PERMISSIVE',
      {},
    ],
  ] as const)('%s', (_, peers, mode, ports) => {
    expect(modesOf(peers)).toMatchObject({ mode, ports });
  });

  test('gives workloads of the root namespace the mesh level alone', () => {
    const peers = [mesh('STRICT'), peer('mesh-system/w', { selector, mtls: { mode: 'DISABLE' } })];
    expect(modesOf(peers, 'mesh-system/gateway').mode).toBe('STRICT');
  });

  test('names the field that decided and those that wanted otherwise', () => {
    const own = peer('shop/w', { selector, mtls: { mode: 'DISABLE' }, portLevelMtls: { 8090: { mode: 'STRICT' } } });
    const { compile, workload } = setUp({ peers: [mesh('STRICT'), ns('DISABLE'), own] });
    const { mode, ports } = compile().effective.inbound(workload('shop/web'));
    const named = (origins: typeof mode.origins) => ({
      decidedBy: origins.decidedBy.map(({ name, field }) => `${name} ${field.join('.')}`),
      overrode: origins.overrode.map(({ name, field }) => `${name} ${field.join('.')}`),
    });
    expect(named(mode.origins)).toEqual({ decidedBy: ['w spec.mtls.mode'], overrode: ['mesh spec.mtls.mode'] });
    expect(named(ports.get(8090)!.origins)).toEqual({
      decidedBy: ['w spec.portLevelMtls.8090.mode'],
      overrode: ['w spec.mtls.mode', 'ns spec.mtls.mode'],
    });
  });

  test('knows no workload that the topology does not have', () => {
    expect(() => setUp({}).compile().effective.inbound({ namespace: 'shop', name: 'gone' })).toThrow('shop/gone');
  });
});

describe('diagnostics of PeerAuthentication', () => {
  test.each([
    [
      'two policies of one scope',
      [peer('shop/a', {}), peer('shop/b', {}), peer('mesh-system/a', {}), peer('mesh-system/b', {})],
      [
        'competing-scope-policies PeerAuthentication/mesh-system/b#metadata.name',
        'competing-scope-policies PeerAuthentication/shop/b#metadata.name',
      ],
    ],
    [
      'a selector in the root namespace',
      [peer('mesh-system/a', { selector })],
      ['selector-in-root-namespace PeerAuthentication/mesh-system/a#spec.selector'],
    ],
    [
      'two workload policies on one workload, once',
      [peer('shop/a', { selector }), peer('shop/b', { selector, portLevelMtls: { 1: { mode: 'STRICT' } } })],
      ['competing-workload-policies PeerAuthentication/shop/b#metadata.name'],
    ],
    [
      'a port that no service delivers to',
      [peer('shop/a', { selector, portLevelMtls: { 80: { mode: 'STRICT' }, 81: { mode: 'STRICT' } } })],
      ['port-without-service PeerAuthentication/shop/a#spec.portLevelMtls.80'],
    ],
    [
      'a policy that selects nothing has no effect',
      [peer('shop/a', { selector: { matchLabels: { x: 'y' } } })],
      ['selector-without-workload PeerAuthentication/shop/a#spec.selector'],
    ],
  ] as const)('%s', (_, peers, expected) => {
    expect(modesOf(peers).diagnostics.sort()).toEqual(expected);
  });
});

/** Names of the rules in force for `shop/web` at the client. */
function rulesFor(client: string, rules: readonly DestinationRule[], settings: Partial<Settings> = {}): string[] {
  const [web] = setUp({ rules, settings }).compile().outbound(client);
  return web!.subsets[0]!.origins.decidedBy.map(({ namespace, name }) => `${namespace}/${name}`);
}

describe('look-up of DestinationRules', () => {
  const at = (name: string, ruleHost = host, exportTo?: string[], createdAt = 0) =>
    rule({ name, createdAt }, { host: ruleHost, ...(exportTo ? { exportTo } : {}) });
  const forFront = rule('home/front', { host: '*', workloadSelector: { matchLabels: { tier: 'front' } } });

  test.each([
    ['client namespace beats an exact rule beside the service', [at('home/a', '*.local'), at('shop/b')], ['home/a']],
    ['service namespace beats the root', [at('shop/b', '*'), at('mesh-system/c')], ['shop/b']],
    ['root namespace last', [at('mesh-system/c', '*.local')], ['mesh-system/c']],
    ['most specific host of a pool', [at('home/a', '*'), at('home/b', '*.shop.svc.cluster.local')], ['home/b']],
    ['short name beside the service', [at('shop/b', 'web')], ['shop/b']],
    ['short name elsewhere is another host', [at('home/a', 'web')], []],
    ['private rule of the service namespace', [at('shop/b', host, ['.'])], []],
    ['private rule of the client namespace', [at('home/a', host, ['.'])], ['home/a']],
    ['exported to the client', [at('shop/b', host, ['home'])], ['shop/b']],
    ['exported to others only: not in force at home', [at('home/a', host, ['shop'])], []],
    ['exported to nobody', [at('home/a', host, ['~'])], []],
    [
      'a hidden exact host ends its pool',
      [at('shop/b', host, ['x']), at('shop/c', '*'), at('mesh-system/d')],
      ['mesh-system/d'],
    ],
    ['a private exact host does not', [at('shop/b', host, ['.']), at('shop/c', '*')], ['shop/c']],
    [
      'all rules of one host, oldest first',
      [at('home/a', host, ['.'], 2), at('home/b', host, ['*'], 1)],
      ['home/b', 'home/a'],
    ],
    ['a rule for these very clients first', [at('home/a'), forFront], ['home/front']],
    [
      'two spellings of one host',
      [at('shop/b', 'web'), at('shop/a', 'WEB.shop.svc.cluster.local')],
      ['shop/a', 'shop/b'],
    ],
  ])('%s', (_, rules, expected) => {
    expect(rulesFor('home/client', rules)).toEqual(expected);
  });

  test('keeps a rule with a selector from other clients', () => {
    expect(rulesFor('shop/web', [{ ...forFront, namespace: 'shop' }])).toEqual([]);
  });

  test('skips the first pool for clients in the root namespace, but for its private rules', () => {
    const rules = [at('mesh-system/a', '*.local'), at('shop/b')];
    expect(rulesFor('mesh-system/gateway', rules)).toEqual(['shop/b']);
    expect(rulesFor('mesh-system/gateway', [...rules, at('mesh-system/c', '*', ['.'])])).toEqual(['mesh-system/c']);
  });

  test('takes the mesh default where exportTo is absent', () => {
    expect(rulesFor('home/client', [at('shop/b')], { defaultDestinationRuleExportTo: ['.'] })).toEqual([]);
  });
});

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
  ] as const)('%s', (_, spec, subset, expected) => {
    const rules = spec === undefined ? [] : [rule('home/a', { host, ...spec })];
    const [web] = setUp({ rules }).compile().outbound('home/client');
    const traffic = web!.subsets.find(({ name }) => name === subset)!.traffic;
    expect([...traffic.keys()]).toEqual([80, 81]);
    expect(traffic.get(80)!.blocks).toEqual(expected);
  });

  test('names the blocks in force and those that were replaced', () => {
    const portLevelSettings = [{ port, connectionPool: pool }];
    const rules = [
      rule('home/a', { host, trafficPolicy: { tls: mesh, portLevelSettings }, subsets: v1({ tls: off }) }),
    ];
    const [web] = setUp({ rules }).compile().outbound('home/client');
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
    const { outbound, diagnostics } = setUp({ rules }).compile();
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
    expect(setUp({ rules }).compile().diagnostics).toEqual([
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
    expect(setUp({ rules }).compile().diagnostics).toEqual([
      'unknown-host DestinationRule/home/a#spec.host',
      'unknown-host DestinationRule/home/b#spec.host',
      'unknown-host DestinationRule/home/c#spec.host',
      'selector-without-workload DestinationRule/home/e#spec.workloadSelector',
    ]);
  });

  test('gives the server the connection pool of the rule that its namespace sees, and nothing else', () => {
    const rules = [rule('shop/a', { host: 'web', trafficPolicy: { tls: off, connectionPool: pool } })];
    const { compile, workload } = setUp({ rules });
    const { effective } = compile();
    const [target] = workload('shop/web').targets;
    const traffic = effective.inboundTraffic('shop', target!.service, target!.port);
    expect(traffic!.blocks).toEqual({ connectionPool: pool });
    expect(traffic!.origins.decidedBy).toHaveLength(1);
    expect(compile({ rules: [] }).effective.inboundTraffic('shop', target!.service, target!.port)).toBeUndefined();
  });
});

describe('outbound', () => {
  test.each([
    ['nothing', [], 'PERMISSIVE'],
    ['mesh', [peer('mesh-system/m', { mtls: { mode: 'DISABLE' } })], 'DISABLE'],
    ['namespace UNSET', [peer('mesh-system/m', { mtls: { mode: 'STRICT' } }), peer('shop/n', {})], 'STRICT'],
    ["the client's namespace says nothing", [peer('home/n', { mtls: { mode: 'DISABLE' } })], 'PERMISSIVE'],
    ['nor does a workload policy', [peer('shop/w', { selector, mtls: { mode: 'DISABLE' } })], 'PERMISSIVE'],
  ] as const)('takes the service mode from mesh and namespace: %s', (_, peers, expected) => {
    expect(setUp({ peers }).compile().outbound('home/client')[0]!.serviceMode.value).toBe(expected);
  });

  test('shows a client what is exported to it; of two definitions of a host its own', () => {
    const entry = (name: string, exportTo: string[]) =>
      make.serviceEntry(name, { hosts: ['api.com'], exportTo, ports: [{ number: 80, name: 'http' }] });
    const objects = [...base, entry('aaa/e', ['*']), entry('home/e', ['.']), entry('x/e', ['shop'])];
    const { outbound } = setUp({ objects }).compile();
    const seen = (client: string) => outbound(client).map(({ service }) => `${service.namespace} ${service.host}`);
    expect(seen('home/client')).toEqual(['home api.com', `shop ${host}`]);
    expect(seen('shop/web')).toEqual(['aaa api.com', `shop ${host}`]);
  });

  test('shows no client a ServiceEntry of another namespace in place of the service that has the host', () => {
    const thief = make.serviceEntry({ name: 'aaa/thief', createdAt: -1 }, { hosts: [host] });
    const own = make.serviceEntry({ name: 'home/own', createdAt: 1 }, { hosts: [host] });
    const { outbound } = setUp({ objects: [...base, thief, own, make.pod('third/client', '10.0.9.1')] }).compile();
    const seen = (client: string) => outbound(client).map(({ service }) => service.namespace);
    expect(seen('third/client')).toEqual(['shop']);
    expect(seen('home/client')).toEqual(['home']);
  });
});

describe('clientScope', () => {
  test('holds only the labels that a rule of the namespace selects', () => {
    const select = (name: string, matchLabels: Record<string, string>) =>
      rule(name, { host: '*', workloadSelector: { matchLabels } });
    const rules = [select('home/a', { tier: 'front', app: 'else' }), select('shop/a', { app: 'client' })];
    const { scope } = setUp({ rules }).compile();
    expect(scope('home/client').labels).toEqual({ tier: 'front' });
    expect(scope('shop/web').key).toBe(scope('shop/other').key);
    expect(scope('shop/web').key).not.toBe(scope('home/client').key);
    expect(scope('mesh-system/gateway').role).toBe('router');
  });
});

describe('clientScope of a client with a locality', () => {
  const labels = { tier: 'front', 'topology.kubernetes.io/region': 'eu', 'mesh-locality': 'eu.west' };
  const client = make.pod({ name: 'home/client', labels }, '10.0.1.1');
  const scopeFor = (spec: DestinationRule['spec'], settings: Partial<Settings> = {}) => {
    const topology = resolveTopology([client], defaultSettings, new DiagnosticBag());
    const [workload] = topology.workloads;
    if (workload === undefined) throw new Error('no workload');
    return clientScope(workload, { ...defaultSettings, ...settings }, [rule('shop/r', spec)]);
  };
  const balanced = (localityLbSetting: LocalityLoadBalancing): DestinationRule['spec'] => ({
    host,
    subsets: [{ name: 'v1', trafficPolicy: { loadBalancer: { localityLbSetting } } }],
  });
  const distribute = [{ from: '*', to: { eu: 100 } }];

  test.each<[string, DestinationRule['spec'], Partial<Settings>, string | undefined]>([
    ['no rule asks', { host }, {}, undefined],
    ['a rule ejects endpoints', { host, trafficPolicy: { outlierDetection: {} } }, {}, 'eu/west'],
    ['a subset sets shares', balanced({ distribute }), {}, 'eu/west'],
    ['the mesh sets shares', { host }, { localityRules: { distribute } }, 'eu/west'],
  ])('holds the locality only where it counts: %s', (_, spec, settings, expected) => {
    expect(scopeFor(spec, settings).locality).toBe(expected);
  });

  test('holds the labels that endpoints are compared by, also those that follow from the locality', () => {
    const keys = ['tier', 'none', 'version=v1', 'topology.kubernetes.io/zone'];
    const compared = { tier: 'front', 'topology.kubernetes.io/zone': 'west' };
    expect(scopeFor(balanced({ failoverPriority: keys })).labels).toEqual(compared);
    const settings = { localityRules: { failoverPriority: keys } };
    expect(scopeFor({ host }, settings).labels).toEqual({});
    expect(scopeFor({ host, trafficPolicy: { outlierDetection: {} } }, settings).labels).toEqual(compared);
  });
});

describe('merge after a change', () => {
  const own = peer('shop/w', { selector, mtls: { mode: 'STRICT' } });
  const mesh = peer('mesh-system/m', { mtls: { mode: 'STRICT' } });
  const a = rule('home/a', { host, trafficPolicy: { connectionPool: { tcp: { maxConnections: 1 } } } });

  function answers(
    { effective, outbound }: ReturnType<ReturnType<typeof setUp>['compile']>,
    web: Workload,
    other: Workload,
  ) {
    return { web: effective.inbound(web), other: effective.inbound(other), outbound: outbound('home/client') };
  }

  test.each([
    ['nothing', { peers: [own], rules: [a] }, []],
    ['a workload policy', { peers: [{ ...own }], rules: [a] }, ['web']],
    ['a workload policy gone', { peers: [], rules: [a] }, ['web']],
    ['a mesh policy', { peers: [own, mesh], rules: [a] }, ['web', 'other', 'outbound']],
    ['a rule', { peers: [own], rules: [{ ...a }] }, ['outbound']],
    ['a rule of no concern', { peers: [own], rules: [a, rule('shop/b', { host: 'x.com' })] }, []],
  ] as const)('makes anew only what depends on it: %s', (_, change, expected) => {
    const { compile, workload } = setUp({ peers: [own], rules: [a] });
    const web = workload('shop/web');
    const other = workload('shop/other');
    const first = compile();
    const before = answers(first, web, other);
    const second = compile(change, first.effective);
    const after = answers(second, web, other);
    const keys = Object.keys(before) as (keyof typeof before)[];
    expect(keys.filter((key) => before[key] !== after[key])).toEqual(expected);
    expect(second.diagnostics).toEqual(compile(change).diagnostics);
    expect(answers(compile({}, second.effective), web, other)).toEqual(before);
  });

  test('keeps the answers for hosts that a new rule does not cover', () => {
    const objects = [...base, make.service('shop/db', { ports: [{ name: 'tcp', port: 5432 }] })];
    const { compile } = setUp({ objects });
    const first = compile();
    const before = first.outbound('home/client');
    const after = compile({ rules: [a] }, first.effective).outbound('home/client');
    expect(after.map((item, i) => [item.service.name, item === before[i]])).toEqual([
      ['db', true],
      ['web', false],
    ]);
  });
});

test('merge does not depend on the order of policies', () => {
  const peers = [
    peer('shop/a', { selector, portLevelMtls: { 81: { mode: 'STRICT' } } }),
    peer('shop/b', { selector, mtls: { mode: 'DISABLE' } }),
    peer('shop/c', { mtls: { mode: 'STRICT' } }),
    peer('shop/d', { mtls: { mode: 'DISABLE' } }),
    peer('mesh-system/a', {}),
  ];
  const rules = [
    rule('home/a', { host: '*.local', subsets: [{ name: 'v1' }] }),
    rule('home/b', { host: '*.local', subsets: [{ name: 'v1' }, { name: 'v0' }] }),
    rule('shop/a', { host: 'web', exportTo: ['.'] }),
    rule('home/c', { host: '*', workloadSelector: { matchLabels: { tier: 'front' } } }),
  ];
  const { compile, workload } = setUp({});
  const all = (order: readonly PeerAuthentication[], ruleOrder: readonly DestinationRule[]) => {
    const { effective, diagnostics, outbound } = compile({ peers: order, rules: ruleOrder });
    return [diagnostics.sort(), effective.inbound(workload('shop/web')), outbound('home/client'), outbound('shop/web')];
  };
  const expected = all(peers, rules);
  const shuffled = <T>(items: T[]) => fc.shuffledSubarray(items, { minLength: items.length });
  fc.assert(
    fc.property(shuffled(peers), shuffled(rules), (order, ruleOrder) => {
      expect(all(order, ruleOrder)).toEqual(expected);
    }),
    runs(30),
  );
});
