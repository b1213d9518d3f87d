import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { clientScope, effectiveOutbound, endpoint, meshService, ports } from '../../../testing/topology.ts';
import type { ClientScope, EffectiveMtlsMode } from '../../merge/effective.ts';
import type { TrafficBlocks } from '../../policy/destination-rule.ts';
import type { Service } from '../../topology/model.ts';
import { Memo } from '../memo.ts';
import { serviceClusters } from './service-clusters.ts';

interface Options {
  readonly service?: Partial<Service>;
  readonly rule?: TrafficBlocks;
  readonly mode?: EffectiveMtlsMode;
  readonly settings?: Partial<Settings>;
  readonly scope?: Partial<ClientScope>;
  readonly subsets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const host = 'httpbin.a.svc.cluster.local';
const identity = (account: string, trustDomain = 'cluster.local') => `spiffe://${trustDomain}/ns/a/sa/${account}`;
const withSidecar = endpoint('10.1.0.1', { hasSidecar: true, identity: identity('x'), labels: { version: 'v1' } });
const without = endpoint('10.1.0.2', { identity: identity('x'), labels: { version: 'v2' } });

function clustersOf({ service, rule, settings, scope, ...options }: Options = {}) {
  const outbound = effectiveOutbound(meshService('a/httpbin', { endpoints: [withSidecar], ...service }), rule, options);
  const lowering = { settings: { ...defaultSettings, ...settings }, memo: new Memo() };
  const bag = new DiagnosticBag();
  const parts = serviceClusters(outbound, clientScope(scope), lowering, bag);
  const clusters = parts.flatMap((part) => part.clusters);
  return { clusters, conflicts: parts.flatMap((part) => part.conflicts), diagnostics: bag.all, first: clusters[0]! };
}

/** `plaintext`, `automatic`, `mesh` or `external`. */
function transportOf(options: Options): string {
  const { transport } = clustersOf(options).first;
  return transport.kind === 'tls' ? transport.tls.kind : transport.kind;
}

function meshTlsOf(options: Options) {
  const { transport } = clustersOf(options).first;
  if (transport.kind === 'plaintext' || transport.tls.kind !== 'mesh') throw new Error('no mesh TLS');
  return transport.tls;
}

function externalTlsOf(tls: TrafficBlocks['tls'], service: Partial<Service> = {}) {
  const { transport } = clustersOf({ rule: { ...(tls && { tls }) }, service }).first;
  return transport.kind === 'tls' ? transport.tls : undefined;
}

describe('the client’s TLS', () => {
  const headless = { isHeadless: true, resolution: 'passthrough' } as const;
  test.each<[string, Options, string]>([
    ['rule DISABLE', { rule: { tls: { mode: 'DISABLE' } }, mode: 'STRICT' }, 'plaintext'],
    ['rule SIMPLE', { rule: { tls: { mode: 'SIMPLE' } } }, 'external'],
    ['rule MUTUAL', { rule: { tls: { mode: 'MUTUAL', clientCertificate: 'c', privateKey: 'k' } } }, 'external'],
    ['rule MESH_MUTUAL', { rule: { tls: { mode: 'MESH_MUTUAL' } }, mode: 'DISABLE' }, 'mesh'],
    [
      'rule MESH_MUTUAL and no sidecar',
      { rule: { tls: { mode: 'MESH_MUTUAL' } }, service: { endpoints: [without] } },
      'mesh',
    ],
    ['external service', { service: { isExternal: true } }, 'plaintext'],
    [
      'rule MESH_MUTUAL for an external service',
      { rule: { tls: { mode: 'MESH_MUTUAL' } }, service: { isExternal: true } },
      'mesh',
    ],
    ['automatic TLS off', { settings: { autoMtls: false } }, 'plaintext'],
    ['mode DISABLE', { mode: 'DISABLE' }, 'plaintext'],
    ['mode PERMISSIVE', {}, 'automatic'],
    ['mode STRICT', { mode: 'STRICT' }, 'automatic'],
    ['a rule without tls', { rule: { connectionPool: {} } }, 'automatic'],
    ['headless, all with sidecar', { service: headless }, 'mesh'],
    ['headless, one without', { service: { ...headless, endpoints: [withSidecar, without] } }, 'plaintext'],
    ['headless, nobody', { service: { ...headless, endpoints: [] } }, 'plaintext'],
    ['headless, mode DISABLE', { service: headless, mode: 'DISABLE' }, 'plaintext'],
    [
      'headless at a router',
      { service: { ...headless, endpoints: [withSidecar, without] }, scope: { role: 'router' } },
      'automatic',
    ],
    ['headless with known endpoints', { service: headless, settings: { edsForHeadless: true } }, 'automatic'],
    ['balancer PASSTHROUGH', { rule: { loadBalancer: { simple: 'PASSTHROUGH' } } }, 'mesh'],
  ])('with %s is decided by the table', (_, options, expected) => {
    expect(transportOf(options)).toBe(expected);
  });

  test('names the field that decided it', () => {
    const { transport } = clustersOf({ rule: { tls: { mode: 'DISABLE' }, connectionPool: {} } }).first;
    expect(transport.origins.decidedBy.map(({ field }) => field)).toEqual([['spec', 'trafficPolicy', 'tls']]);
  });

  test.each([
    ['http', ['mesh-http/1.1', 'mesh']],
    ['grpc', ['mesh-h2', 'mesh', 'h2']],
    ['tcp', ['mesh']],
    ['auto', ['mesh']],
  ])('offers on a port of protocol %s: %s', (protocol, alpn) => {
    expect(meshTlsOf({ service: { ports: ports(`8000/${protocol}`) } }).alpn).toEqual(alpn);
  });

  test('asks for the service by the four parts of the cluster’s name, or as the rule says', () => {
    const { clusters } = clustersOf({ subsets: { v1: {} } });
    const snis = clusters.map(({ transport }) => (transport.kind === 'plaintext' ? '' : transport.tls.sni));
    expect(snis).toEqual([`outbound_.8000_._.${host}`, `outbound_.8000_.v1_.${host}`]);
    expect(meshTlsOf({ rule: { tls: { mode: 'MESH_MUTUAL', sni: 'own' } } }).sni).toBe('own');
  });
});

describe('identities of the server', () => {
  const sans = (options: Options) => meshTlsOf(options).serverSans.map(({ kind, value }) => `${kind} ${value}`);
  const other = endpoint('10.1.0.3', { identity: identity('b') });

  test('are those of all endpoints of the port, and those that the service declares', () => {
    const elsewhere = endpoint('10.1.0.4', { servicePort: 9, identity: identity('port-9') });
    const service = { endpoints: [withSidecar, other, elsewhere], subjectAltNames: [identity('declared')] };
    const expected = ['b', 'declared', 'x'].map((account) => `exact ${identity(account)}`);
    expect(sans({ service })).toEqual(expected);
    const { clusters } = clustersOf({ service, subsets: { v1: { version: 'v1' } } });
    const [whole, subset] = clusters.map(({ transport }) => transport.kind === 'automatic' && transport.tls.serverSans);
    expect(subset).toEqual(whole);
  });

  test('stand in every trust domain of the mesh', () => {
    const settings = { trustDomainAliases: ['old'] };
    const foreign = endpoint('10.1.0.5', { identity: identity('f', 'elsewhere') });
    expect(sans({ settings, service: { endpoints: [withSidecar, foreign] } })).toEqual([
      `exact ${identity('x')}`,
      `exact ${identity('f', 'elsewhere')}`,
      `exact ${identity('x', 'old')}`,
    ]);
  });

  test('are the rule’s when it names any, or none when it names an empty list', () => {
    expect(sans({ rule: { tls: { mode: 'MESH_MUTUAL', subjectAltNames: ['spiffe://own'] } } })).toEqual([
      'exact spiffe://own',
    ]);
    expect(sans({ rule: { tls: { mode: 'MESH_MUTUAL', subjectAltNames: [] } } })).toEqual([]);
  });
});

describe('a server whose name nobody checks', () => {
  const stranger = { endpoints: [endpoint('10.1.0.9')] };
  const bytes = { ports: ports('8000/tcp') };
  test.each<[string, TrafficBlocks['tls'], Partial<Service>, boolean]>([
    ['MESH_MUTUAL and an empty list', { mode: 'MESH_MUTUAL', subjectAltNames: [] }, {}, true],
    ['MESH_MUTUAL and endpoints that nobody knows', { mode: 'MESH_MUTUAL' }, stranger, true],
    ['MESH_MUTUAL and a list', { mode: 'MESH_MUTUAL', subjectAltNames: ['spiffe://x'] }, stranger, false],
    ['MESH_MUTUAL and known endpoints', { mode: 'MESH_MUTUAL' }, {}, false],
    ['SIMPLE and an SNI', { mode: 'SIMPLE', sni: 'a.example' }, {}, true],
    ['SIMPLE, an SNI and a list', { mode: 'SIMPLE', sni: 'a.example', subjectAltNames: ['a.example'] }, {}, false],
    ['SIMPLE on bytes', { mode: 'SIMPLE' }, bytes, true],
    ['SIMPLE on requests, which name the host', { mode: 'SIMPLE' }, {}, false],
    ['SIMPLE without any check, as the rule says', { mode: 'SIMPLE', insecureSkipVerify: true }, bytes, false],
  ])('is told for %s: %s', (_, tls, service, isTold) => {
    const { diagnostics } = clustersOf({ rule: { ...(tls && { tls }) }, service });
    expect(diagnostics.map(({ code }) => code)).toEqual(isTold ? ['unchecked-server-name'] : []);
  });
});

describe('TLS to servers outside the mesh', () => {
  test('verifies against the system’s roots and the request’s host when the rule names nothing', () => {
    expect(externalTlsOf({ mode: 'SIMPLE' })).toEqual({
      kind: 'external',
      sni: undefined,
      autoSni: true,
      autoSanValidation: true,
      alpn: [],
      serverSans: [],
      clientCertificate: undefined,
      trustedCa: 'system',
      crl: undefined,
    });
  });

  test('takes what the rule names', () => {
    const tls = {
      mode: 'MUTUAL',
      clientCertificate: '/c',
      privateKey: '/k',
      caCertificates: '/ca',
      caCrl: '/crl',
      sni: 'a.example',
      subjectAltNames: ['b.example', 'a.example'],
    } as const;
    expect(externalTlsOf(tls, { ports: ports('8000/grpc') })).toMatchObject({
      sni: 'a.example',
      autoSni: false,
      autoSanValidation: false,
      alpn: ['h2'],
      serverSans: ['a.example', 'b.example'],
      clientCertificate: { chain: '/c', key: '/k' },
      trustedCa: { file: '/ca' },
      crl: '/crl',
    });
  });

  test('takes the names that a ServiceEntry declares', () => {
    const tls = externalTlsOf({ mode: 'SIMPLE' }, { subjectAltNames: ['a.example'] });
    expect(tls).toMatchObject({ serverSans: ['a.example'], autoSanValidation: false });
  });

  test('verifies nothing only where the rule says so', () => {
    const tls = externalTlsOf({ mode: 'SIMPLE', insecureSkipVerify: true, subjectAltNames: ['a'] });
    expect(tls).toMatchObject({ trustedCa: undefined, serverSans: [], autoSanValidation: false });
  });

  test('sends no server name of its own over bytes', () => {
    expect(externalTlsOf({ mode: 'SIMPLE' }, { ports: ports('8000/tcp') })).toMatchObject({ autoSni: false });
  });

  test('needs a mode: a block without one is named, and TLS stays automatic', () => {
    const { first, diagnostics } = clustersOf({ rule: { tls: { sni: 'a.example' } } });
    expect([first.transport.kind, diagnostics.map(({ code }) => code)]).toEqual([
      'automatic',
      ['field-without-effect'],
    ]);
  });

  test('refuses credentials that only a gateway can read', () => {
    const rule: TrafficBlocks = { tls: { mode: 'SIMPLE', credentialName: 'secret' } };
    const { diagnostics } = clustersOf({ rule });
    expect(diagnostics.map(({ code, span }) => [code, span?.file])).toEqual([
      ['credential-name-on-sidecar', 'DestinationRule/default/rule#spec.trafficPolicy.tls.credentialName'],
    ]);
    expect(clustersOf({ rule, scope: { role: 'router' } }).diagnostics[0]?.code).toBe('credential-name-not-compiled');
  });
});

describe('how a cluster finds its hosts', () => {
  test.each<[string, Options, string]>([
    ['client', {}, 'static'],
    ['dns', { service: { resolution: 'dns' } }, 'strict-dns'],
    ['dns, round robin', { service: { resolution: 'dns', dnsRoundRobin: true } }, 'logical-dns'],
    [
      'dns, round robin over two names',
      { service: { resolution: 'dns', dnsRoundRobin: true, endpoints: [withSidecar, without] } },
      'strict-dns',
    ],
    ['dns without endpoints', { service: { resolution: 'dns', endpoints: [] } }, 'static'],
    ['passthrough', { service: { resolution: 'passthrough' } }, 'original-dst'],
    ['passthrough at a router', { service: { resolution: 'passthrough' }, scope: { role: 'router' } }, 'static'],
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

  test('a subset has the endpoints that carry its labels; one of a DNS service that has none is left out', () => {
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
    expect(addresses({ service: { ...service, resolution: 'dns' } })).toEqual([
      ['', both],
      ['v1', ['10.1.0.1']],
    ]);
    expect(clustersOf({ service: { ...service, resolution: 'dns' }, subsets }).conflicts).toEqual([
      { metric: 'pilot_dns_cluster_without_endpoints', key: `outbound|8000|v9|${host}` },
    ]);
  });
});

describe('fields of a rule', () => {
  test('a cluster without a rule keeps no limit that could cut a legitimate call', () => {
    expect(clustersOf().first).toMatchObject({
      altStatName: 'outbound|8000||httpbin_a_svc_cluster_local',
      connectTimeoutMs: 10_000,
      loadBalancing: { policy: 'round-robin' },
      circuitBreakers: {
        maxConnections: 4294967295,
        maxPendingRequests: 4294967295,
        maxRequests: 4294967295,
        maxRetries: 4294967295,
      },
      outlierDetection: undefined,
      healthyPanicPercent: undefined,
      localityWeighted: false,
      keepalive: undefined,
    });
  });

  test('a connection pool decides limits, time-outs and keepalive, over the mesh’s own', () => {
    const connectionPool = {
      tcp: {
        maxConnections: 1,
        connectTimeout: '3s',
        tcpKeepalive: { time: '7200s' },
        idleTimeout: '1m',
        maxConnectionDuration: '2m',
      },
      http: {
        http1MaxPendingRequests: 2,
        http2MaxRequests: 3,
        maxRetries: 4,
        maxRequestsPerConnection: 5,
        idleTimeout: '6s',
      },
    };
    const settings = { tcpKeepalive: { probes: 9, timeSeconds: 1 } };
    expect(clustersOf({ rule: { connectionPool }, settings }).first).toMatchObject({
      connectTimeoutMs: 3000,
      circuitBreakers: { maxConnections: 1, maxPendingRequests: 2, maxRequests: 3, maxRetries: 4 },
      keepalive: { probes: 9, timeSeconds: 7200, intervalSeconds: undefined },
      http: { maxRequestsPerConnection: 5, idleTimeoutMs: 6000 },
      tcpIdleTimeoutMs: 60_000,
      maxConnectionDurationMs: 120_000,
    });
  });

  test.each<[TrafficBlocks['loadBalancer'], object]>([
    [{ simple: 'ROUND_ROBIN' }, { policy: 'round-robin' }],
    [{ simple: 'LEAST_CONN' }, { policy: 'least-request' }],
    [{ simple: 'LEAST_REQUEST' }, { policy: 'least-request' }],
    [{ simple: 'RANDOM' }, { policy: 'random' }],
    [{ consistentHash: { httpHeaderName: 'x' } }, { policy: 'ring-hash', minimumRingSize: 1024 }],
    [{ consistentHash: { httpHeaderName: 'x', minimumRingSize: 7 } }, { policy: 'ring-hash', minimumRingSize: 7 }],
    [
      { consistentHash: { httpHeaderName: 'x', ringHash: { minimumRingSize: 8 } } },
      { policy: 'ring-hash', minimumRingSize: 8 },
    ],
    [{ consistentHash: { httpHeaderName: 'x', maglev: { tableSize: 11 } } }, { policy: 'maglev', tableSize: 11 }],
  ])('a balancer %j', (loadBalancer, expected) => {
    expect(clustersOf({ rule: { ...(loadBalancer && { loadBalancer }) } }).first.loadBalancing).toEqual(expected);
  });

  test.each<[TrafficBlocks['outlierDetection'], object, number]>([
    [{ consecutive5xxErrors: 0, interval: '1s', minHealthPercent: 40 }, { consecutive5xx: 0, intervalMs: 1000 }, 40],
    [{ consecutiveErrors: 7 }, { consecutive5xx: undefined, consecutiveGatewayFailure: 7 }, 0],
    [{ baseEjectionTime: '3m', maxEjectionPercent: 50 }, { baseEjectionTimeMs: 180_000, maxEjectionPercent: 50 }, 0],
  ])('outlier detection %j', (rule, expected, panic) => {
    const { first } = clustersOf({ rule: { ...(rule && { outlierDetection: rule }) } });
    expect(first).toMatchObject({ outlierDetection: expected, healthyPanicPercent: panic, localityWeighted: true });
  });

  test('outlier detection weighs no localities where the mesh or the rule switches that off', () => {
    const outlierDetection = {};
    const off = { loadBalancer: { localityLbSetting: { enabled: false } }, outlierDetection };
    expect(clustersOf({ rule: off }).first.localityWeighted).toBe(false);
    expect(
      clustersOf({ rule: { outlierDetection }, settings: { localityLoadBalancing: false } }).first.localityWeighted,
    ).toBe(false);
  });

  test.each<[string, Options, string]>([
    ['http', {}, 'http1'],
    ['grpc', {}, 'http2'],
    ['tcp', {}, 'none'],
    ['auto', {}, 'downstream'],
    ['auto', { settings: { sniffOutbound: false } }, 'none'],
    ['auto', { scope: { role: 'router' } }, 'http1'],
    ['http', { settings: { h2UpgradePolicy: 'UPGRADE' } }, 'http2'],
    ['http', { rule: { connectionPool: { http: { h2UpgradePolicy: 'UPGRADE' } } } }, 'http2'],
    [
      'http',
      {
        settings: { h2UpgradePolicy: 'UPGRADE' },
        rule: { connectionPool: { http: { h2UpgradePolicy: 'DO_NOT_UPGRADE' } } },
      },
      'http1',
    ],
    ['tcp', { settings: { h2UpgradePolicy: 'UPGRADE' } }, 'none'],
    ['http', { rule: { connectionPool: { http: { useClientProtocol: true } } } }, 'downstream'],
  ])('a port of protocol %s with %j speaks %s', (protocol, options, expected) => {
    expect(clustersOf({ ...options, service: { ports: ports(`8000/${protocol}`) } }).first.http.protocol).toBe(
      expected,
    );
  });

  test.each<[TrafficBlocks['loadBalancer'], object]>([
    [{ warmupDurationSecs: '30s' }, { policy: 'round-robin', warmupMs: 30_000 }],
    [
      { simple: 'LEAST_REQUEST', warmupDurationSecs: '1m' },
      { policy: 'least-request', warmupMs: 60_000 },
    ],
    [{ simple: 'RANDOM', warmupDurationSecs: '1m' }, { policy: 'random' }],
  ])('load balancer %j lets endpoints warm up', (loadBalancer, expected) => {
    expect(clustersOf({ rule: { ...(loadBalancer && { loadBalancer }) } }).first.loadBalancing).toEqual(expected);
  });

  const failover = [{ from: 'a', to: 'b' }];
  const distribute = [{ from: '*', to: { a: 100 } }];
  test.each<[string, TrafficBlocks, string[]]>([
    ['failover alone', { loadBalancer: { localityLbSetting: { failover } } }, ['localityLbSetting.failover']],
    [
      'failover with outlier detection',
      { loadBalancer: { localityLbSetting: { failover, failoverPriority: ['x'] } }, outlierDetection: {} },
      [],
    ],
    ['shares', { loadBalancer: { localityLbSetting: { distribute } } }, []],
    [
      'shares that are off',
      { loadBalancer: { localityLbSetting: { distribute, enabled: false } } },
      ['localityLbSetting.distribute'],
    ],
    [
      'shares and labels',
      { loadBalancer: { localityLbSetting: { distribute, failoverPriority: ['x'] } }, outlierDetection: {} },
      ['localityLbSetting.failoverPriority'],
    ],
    [
      'the address that was dialled',
      { loadBalancer: { simple: 'PASSTHROUGH', warmupDurationSecs: '1s', localityLbSetting: { distribute } } },
      ['warmupDurationSecs', 'localityLbSetting.distribute'],
    ],
    ['a random choice', { loadBalancer: { simple: 'RANDOM', warmupDurationSecs: '1s' } }, ['warmupDurationSecs']],
    [
      'a hash',
      { loadBalancer: { consistentHash: { useSourceIp: true }, warmupDurationSecs: '1s' } },
      ['warmupDurationSecs'],
    ],
  ])('with %s, fields without effect are named', (_, rule, fields) => {
    const { diagnostics } = clustersOf({ rule });
    expect(diagnostics.map(({ code, span }) => [code, span?.file.split('#')[1]])).toEqual(
      fields.map((field) => ['field-without-effect', `spec.trafficPolicy.loadBalancer.${field}`]),
    );
  });

  test('clients of one locality share the clusters that look at it, all clients the others', () => {
    const lowering = { settings: defaultSettings, memo: new Memo() };
    const plain = effectiveOutbound(meshService('a/plain'));
    const ejecting = effectiveOutbound(meshService('a/ejecting'), { outlierDetection: {} });
    const clusters = (outbound: typeof plain, locality: string) =>
      serviceClusters(outbound, clientScope({ locality }), lowering, new DiagnosticBag())[0];
    expect(clusters(plain, 'eu')).toBe(clusters(plain, 'us'));
    expect(clusters(ejecting, 'eu')).toBe(clusters(ejecting, 'eu'));
    expect(clusters(ejecting, 'eu')).not.toBe(clusters(ejecting, 'us'));
  });
});
