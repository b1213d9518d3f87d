import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { clientScope, effectiveOutbound, endpoint, meshService, ports } from '../../../testing/topology.ts';
import type { FilterChainIR } from '../../ir/listener.ts';
import type { OutboundIR } from '../../ir/proxy.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import type { Service } from '../../topology/model.ts';
import { Memo } from '../memo.ts';
import { type Connection, matchChain } from '../testing/match-chain.ts';
import { lowerOutbound } from './outbound.ts';

interface Options {
  readonly settings?: Partial<Settings>;
  readonly scope?: Partial<ClientScope>;
}

function outboundOf(services: readonly (Service | EffectiveOutbound)[], options: Options = {}) {
  const bag = new DiagnosticBag();
  const outbounds = services.map((service) => ('subsets' in service ? service : effectiveOutbound(service)));
  const lowering = { settings: { ...defaultSettings, ...options.settings }, memo: new Memo() };
  const outbound = lowerOutbound(
    { scope: clientScope(options.scope), services: outbounds, virtualServices: [] },
    lowering,
    bag,
  );
  return { ...outbound, codes: bag.all.map(({ code }) => code) };
}

/** Where a connection or request to an address ends: `cluster` for bytes, `http <route table>` for requests. */
function destination({ listeners }: OutboundIR, name: string, connection: Connection): string {
  const listener = listeners.find((candidate) => candidate.name === name);
  if (listener === undefined) return 'no listener';
  return target(matchChain(listener, connection));
}

function target(chain: FilterChainIR | undefined): string {
  if (chain === undefined) return 'closed';
  return chain.filter.kind === 'tcp' ? chain.filter.cluster : `http ${chain.filter.routeConfig}`;
}

const http: Connection = { alpn: ['http/1.1'] };
const bytes: Connection = {};
const tls = (serverName?: string): Connection => ({
  isTls: true,
  alpn: ['h2', 'http/1.1'],
  ...(serverName === undefined ? {} : { serverName }),
});

const names = ({ listeners }: OutboundIR) =>
  listeners.map(({ name }) => name).filter((name) => name !== 'virtualOutbound');

describe('listeners by protocol', () => {
  test('HTTP services of one port share the wildcard listener and its route table', () => {
    const outbound = outboundOf([meshService('a'), meshService('b', { addresses: ['10.0.0.2'] })]);
    expect(names(outbound)).toEqual(['0.0.0.0_8000']);
    expect(outbound.listeners[0]).toMatchObject({ bindToPort: false, direction: 'OUTBOUND', port: 8000 });
    expect(destination(outbound, '0.0.0.0_8000', http)).toBe('http 8000');
  });

  test.each([
    ['ALLOW_ANY', 'PassthroughCluster'],
    ['REGISTRY_ONLY', 'BlackHoleCluster'],
  ] as const)('under %s, what is not HTTP on an HTTP port goes to %s', (outboundTrafficPolicy, cluster) => {
    const outbound = outboundOf([meshService('a')], { settings: { outboundTrafficPolicy } });
    expect(destination(outbound, '0.0.0.0_8000', bytes)).toBe(cluster);
    expect(destination(outbound, '0.0.0.0_8000', tls('x.example'))).toBe(cluster);
    expect(destination(outbound, 'virtualOutbound', { port: 443 })).toBe(cluster);
  });

  test('virtualOutbound hands on to the listener of the original destination, and its own port nowhere', () => {
    const outbound = outboundOf([]);
    expect(outbound.listeners).toMatchObject([{ useOriginalDst: true, bindToPort: true, port: 15001 }]);
    expect(destination(outbound, 'virtualOutbound', { port: 15001 })).toBe('BlackHoleCluster');
  });

  test('a TCP service has a listener at each of its addresses that the proxy can reach', () => {
    const service = meshService('db', { ports: ports('5432/tcp'), addresses: ['10.0.0.1', 'fd00::1'] });
    expect(names(outboundOf([service]))).toEqual(['10.0.0.1_5432']);
    const dual = outboundOf([service], { scope: { families: ['ipv4', 'ipv6'] } });
    expect(names(dual)).toEqual(['10.0.0.1_5432', '[fd00::1]_5432']);
    expect(destination(dual, '[fd00::1]_5432', bytes)).toBe('outbound|5432||db.default.svc.cluster.local');
    expect(dual.listeners[0]?.listenerFilters.tlsInspector).toBeUndefined();
  });

  test('a detected port tells requests from bytes, and own TLS is bytes', () => {
    const outbound = outboundOf([meshService('a', { ports: ports('8000/auto') })]);
    const cluster = 'outbound|8000||a.default.svc.cluster.local';
    expect(destination(outbound, '10.0.0.1_8000', http)).toBe('http a.default.svc.cluster.local:8000');
    expect(destination(outbound, '10.0.0.1_8000', bytes)).toBe(cluster);
    expect(destination(outbound, '10.0.0.1_8000', tls())).toBe(cluster);
    expect(outbound.routes[0]?.virtualHosts).toMatchObject([{ domains: ['*'], routes: [{ action: { cluster } }] }]);
    expect(outbound.listeners[0]?.listenerFilters).toMatchObject({ timeoutMs: 5000, continueOnTimeout: true });
  });

  test('a detected port is bytes when detection is off, and an HTTP port is HTTP only', () => {
    const services = [meshService('a', { ports: ports('8000/auto') }), meshService('b')];
    const outbound = outboundOf(services, { settings: { sniffOutbound: false } });
    expect(destination(outbound, '10.0.0.1_8000', http)).toBe('outbound|8000||a.default.svc.cluster.local');
    expect(destination(outbound, '0.0.0.0_8000', bytes)).toBe('http 8000');
    expect(outbound.listeners.every(({ listenerFilters }) => listenerFilters.httpInspector === undefined)).toBe(true);
  });

  test('TLS without an address is told apart by server name, the rest passes', () => {
    const entry = (host: string) =>
      meshService(`default/${host}`, {
        kind: 'ServiceEntry',
        addresses: [],
        resolution: 'dns',
        ports: ports('443/tls'),
      });
    const outbound = outboundOf([entry('a.example'), entry('b.example')]);
    expect(destination(outbound, '0.0.0.0_443', tls('b.example'))).toBe('outbound|443||b.example');
    expect(destination(outbound, '0.0.0.0_443', tls('c.example'))).toBe('PassthroughCluster');
    expect(destination(outbound, '0.0.0.0_443', bytes)).toBe('PassthroughCluster');
  });

  test('a block of addresses is matched on the wildcard', () => {
    const entry = meshService('default/db.example', {
      kind: 'ServiceEntry',
      addresses: ['10.9.0.0/16'],
      ports: ports('5432/tcp'),
    });
    const outbound = outboundOf([entry]);
    expect(destination(outbound, '0.0.0.0_5432', { address: '10.9.3.4' })).toBe('outbound|5432||db.example');
    expect(destination(outbound, '0.0.0.0_5432', { address: '10.8.3.4' })).toBe('PassthroughCluster');
  });

  test('datagrams have neither listener nor cluster', () => {
    const outbound = outboundOf([meshService('dns', { ports: ports('53/udp') })]);
    expect(names(outbound)).toEqual([]);
    expect(outbound.clusters.map(({ name }) => name)).toEqual(['BlackHoleCluster', 'PassthroughCluster']);
  });
});

describe('headless services', () => {
  const pods = [endpoint('10.1.0.1'), endpoint('10.1.0.2')];
  const headless = (protocol: string, fields: Partial<Service> = {}) =>
    meshService('h', {
      isHeadless: true,
      resolution: 'passthrough',
      addresses: [],
      ports: ports(`8000/${protocol}`),
      endpoints: pods,
      ...fields,
    });

  test('TCP has a listener a pod, which that pod leaves out', () => {
    const outbound = outboundOf([headless('tcp')]);
    expect(names(outbound)).toEqual(['10.1.0.1_8000', '10.1.0.2_8000']);
    expect(outbound.listeners[0]?.notForAddresses).toEqual(['10.1.0.1']);
  });

  test('a detected port has a listener a pod and one route table', () => {
    const outbound = outboundOf([headless('auto')]);
    expect(names(outbound)).toEqual(['10.1.0.1_8000', '10.1.0.2_8000']);
    expect(outbound.routes.map(({ name }) => name)).toEqual(['h.default.svc.cluster.local:8000']);
  });

  test('HTTP is on the shared listener, by its names and those of its pods', () => {
    const outbound = outboundOf([headless('http')]);
    expect(names(outbound)).toEqual(['0.0.0.0_8000']);
    expect(outbound.routes[0]?.virtualHosts[0]?.domains).toEqual([
      'h.default.svc.cluster.local',
      '*.h.default.svc.cluster.local',
      'h',
      '*.h',
      'h.default',
      '*.h.default',
      'h.default.svc',
      '*.h.default.svc',
    ]);
  });

  test('TCP is on the wildcard when listeners a pod are switched off, and nowhere without pods', () => {
    const settings = { headlessPodListeners: false };
    expect(names(outboundOf([headless('tcp')], { settings }))).toEqual(['0.0.0.0_8000']);
    expect(names(outboundOf([headless('tcp', { endpoints: [] })]))).toEqual([]);
  });
});

describe('two services on one listener', () => {
  const noVip = (name: string, protocol: string) =>
    meshService(name, { kind: 'ServiceEntry', addresses: [], ports: ports(`8000/${protocol}`) });
  const old = 'outbound|8000||old';

  test.each([
    // [older, younger, sniffing, requests go to, bytes go to, gauge]
    ['tcp', 'http', true, 'http 8000', old, undefined],
    ['http', 'tcp', true, 'http 8000', 'outbound|8000||young', undefined],
    ['auto', 'http', true, 'http 8000', old, undefined],
    ['tcp', 'http', false, old, old, 'http_over_current_tcp'],
    ['http', 'tcp', false, 'http 8000', 'http 8000', 'tcp_over_current_http'],
    ['tcp', 'tcp', true, old, old, 'tcp_over_current_tcp'],
    ['mysql', 'http', true, old, old, 'http_over_current_tcp'],
    ['http', 'mongo', true, 'http 8000', 'PassthroughCluster', 'tcp_over_current_http'],
  ])('%s before %s (detection %s)', (older, younger, sniffOutbound, requests, others, gauge) => {
    const outbound = outboundOf([noVip('d/old', older), noVip('d/young', younger)], { settings: { sniffOutbound } });
    expect(destination(outbound, '0.0.0.0_8000', http)).toBe(requests);
    expect(destination(outbound, '0.0.0.0_8000', bytes)).toBe(others);
    const clash = { metric: `pilot_conflict_outbound_listener_${gauge}`, key: '0.0.0.0:8000' };
    const counted = outbound.conflicts?.filter(({ metric }) => metric.startsWith('pilot_conflict'));
    expect(counted).toEqual(gauge === undefined ? [] : [clash]);
    expect(outbound.codes).toEqual(gauge === undefined ? [] : ['conflicting-outbound-listener']);
  });
});

describe('virtual hosts', () => {
  const domainsFrom = (namespace: string, fields: Partial<Service> = {}) =>
    outboundOf([meshService('ns1/foo', fields)], { scope: { namespace } }).routes[0]?.virtualHosts[0]?.domains;

  test('go by every short form that the client’s namespace allows, and by address', () => {
    const host = 'foo.ns1.svc.cluster.local';
    expect(domainsFrom('ns1')).toEqual([host, 'foo', 'foo.ns1', 'foo.ns1.svc', '10.0.0.1']);
    expect(domainsFrom('ns2', { addresses: ['fd00::1', '10.9.0.0/16'] })).toEqual([
      host,
      'foo.ns1',
      'foo.ns1.svc',
      '[fd00::1]',
    ]);
  });

  test('send to the service with two retries, the default time-out and no retry of a 503', () => {
    const { routes } = outboundOf([meshService('a')], { settings: { defaultRequestTimeoutMs: 7000 } });
    const action = routes[0]?.virtualHosts[0]?.routes[0]?.action;
    expect(action).toMatchObject({
      kind: 'cluster',
      timeoutMs: 7000,
      retry: { attempts: 2, avoidPreviousHosts: true },
    });
    expect(JSON.stringify(action)).not.toMatch(/503|5xx|gateway-error|retriable/);
  });

  test.each([
    ['ALLOW_ANY', 'allow_any', { kind: 'cluster', cluster: 'PassthroughCluster', timeoutMs: 0 }],
    ['REGISTRY_ONLY', 'block_all', { kind: 'direct-response', status: 502 }],
  ] as const)('end under %s with %s', (outboundTrafficPolicy, name, action) => {
    const { routes } = outboundOf([meshService('a')], { settings: { outboundTrafficPolicy } });
    expect(routes[0]?.virtualHosts.at(-1)).toMatchObject({ name, domains: ['*'], routes: [{ action }] });
  });

  test('leave a domain to the oldest service, and count the others', () => {
    const entry = meshService('default/A.default', { kind: 'ServiceEntry', addresses: ['10.0.0.9'] });
    const outbound = outboundOf([
      meshService('a'),
      { ...entry },
      meshService('other/10.0.0.9', { kind: 'ServiceEntry' }),
    ]);
    const domains = outbound.routes[0]?.virtualHosts.map((host) => host.domains.join(' '));
    expect(domains).toEqual(['10.0.0.9', 'a.default.svc.cluster.local a a.default a.default.svc 10.0.0.1', '*']);
    expect(outbound.conflicts?.filter(({ metric }) => metric === 'pilot_vservice_dup_domain')).toEqual([
      { metric: 'pilot_vservice_dup_domain', key: '10.0.0.9:8000' },
      { metric: 'pilot_vservice_dup_domain', key: 'A.default:8000' },
    ]);
    expect(outbound.codes).toEqual(['duplicate-domain', 'duplicate-domain']);
  });

  test('hash what the rule of a consistent-hash service names', () => {
    const rule = { loadBalancer: { consistentHash: { httpCookie: { name: 'user', path: '/', ttl: '10s' } } } };
    const { routes } = outboundOf([effectiveOutbound(meshService('a'), rule)]);
    expect(routes[0]?.virtualHosts[0]?.routes[0]?.action).toMatchObject({
      hashPolicies: [{ kind: 'cookie', name: 'user', path: '/', ttlMs: 10_000 }],
      retry: { avoidPreviousHosts: false },
    });
  });
});

describe('offers of HTTP requests on detected ports', () => {
  const overrides = ({ listeners }: OutboundIR) =>
    listeners
      .flatMap(({ filterChains }) => filterChains)
      .map(({ filter }) => (filter.kind === 'http' ? filter.alpnOverride?.alpn : undefined))
      .filter((alpn) => alpn !== undefined);
  const auto = meshService('a', { ports: ports('8000/auto') });

  test('name HTTP towards the mesh, and settle no version', () => {
    expect(overrides(outboundOf([auto]))).toEqual([['mesh-http/1.1', 'mesh']]);
    expect(overrides(outboundOf([meshService('a')]))).toEqual([]);
  });

  test('never show the mesh’s tokens to servers outside', () => {
    expect(overrides(outboundOf([effectiveOutbound(auto, { tls: { mode: 'SIMPLE' } })]))).toEqual([]);
    expect(overrides(outboundOf([effectiveOutbound(auto, { tls: { mode: 'DISABLE' } })]))).toEqual([]);
  });
});

describe('settings of outbound connections', () => {
  test('remote addresses and HTTP/1.0 are taken where switched on, a caller’s certificate header never', () => {
    const settings = { sidecarUseRemoteAddress: true, http10: true, enableTracing: false };
    const [listener] = outboundOf([meshService('a')], { settings }).listeners;
    expect(matchChain(listener!, http)?.filter).toMatchObject({
      useRemoteAddress: true,
      http10: true,
      tracing: undefined,
      xfcc: 'sanitize',
    });
  });

  test('time-outs and source hashing of a rule reach the TCP proxy', () => {
    const rule = {
      connectionPool: { tcp: { idleTimeout: '30s', maxConnectionDuration: '1h' } },
      loadBalancer: { consistentHash: { useSourceIp: true } },
    };
    const outbound = outboundOf([effectiveOutbound(meshService('a', { ports: ports('8000/tcp') }), rule)]);
    expect(outbound.listeners[0]?.filterChains[0]?.filter).toMatchObject({
      idleTimeoutMs: 30_000,
      maxConnectionDurationMs: 3_600_000,
      hashSourceIp: true,
    });
  });

  test('TPROXY makes the listener transparent; IPv6 listeners stand on their own wildcard', () => {
    const scope = { interceptionMode: 'TPROXY', families: ['ipv6'] } as const;
    const outbound = outboundOf([meshService('a')], { scope });
    expect(outbound.listeners.map(({ name, addresses }) => [name, addresses])).toEqual([
      ['[::]_8000', ['::']],
      ['virtualOutbound', ['::']],
    ]);
    expect(outbound.listeners[1]?.transparent).toBe(true);
  });

  test.each([
    [15001, 'http'],
    [15006, 'http'],
    [15021, 'http'],
    [15090, 'http'],
  ])('no service opens the wildcard listener of port %i, which every proxy binds itself', (port, protocol) => {
    for (const families of [['ipv4'], ['ipv6'], ['ipv4', 'ipv6']] as const) {
      const service = meshService('a', { ports: ports(`${port}/${protocol}`) });
      const outbound = outboundOf([service], { scope: { families } });
      expect(names(outbound)).toEqual([]);
      expect(outbound.routes).toEqual([]);
      expect(outbound.codes).toEqual(['service-port-of-proxy']);
    }
    const own = outboundOf([meshService('a', { ports: ports(`${port}/tcp`) })]);
    expect(names(own)).toEqual([`10.0.0.1_${port}`]);
    const everywhere = { addresses: ['0.0.0.0'], ports: ports(`${port}/tcp`) };
    expect(names(outboundOf([meshService('a', everywhere)]))).toEqual([]);
  });

  test('a router has clusters alone', () => {
    const outbound = outboundOf([meshService('a')], { scope: { role: 'router' } });
    expect([outbound.listeners, outbound.routes]).toEqual([[], []]);
    expect(outbound.clusters).toHaveLength(3);
  });

  test('every cluster that a route or a chain names is there', () => {
    const services = [meshService('a'), meshService('b', { ports: ports('1/tcp', '2/auto', '3/tls', '4/grpc') })];
    const outbound = outboundOf(services);
    const known = new Set(outbound.clusters.map(({ name }) => name));
    const named = JSON.stringify([outbound.listeners, outbound.routes]).matchAll(/"cluster":"([^"]+)"/g);
    expect([...named].map(([, name = '']) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});
