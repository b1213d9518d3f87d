import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import {
  clientScope,
  effective,
  effectiveOutbound,
  inboundModes,
  meshService,
  meshWorkload,
  ports,
} from '../../../testing/topology.ts';
import type { InboundIR } from '../../ir/proxy.ts';
import type { EffectiveInbound } from '../../merge/effective.ts';
import type { TrafficBlocks } from '../../policy/destination-rule.ts';
import type { Workload } from '../../topology/model.ts';
import { Memo } from '../memo.ts';
import { type Connection, matchChain } from '../testing/match-chain.ts';
import { lowerInbound } from './inbound.ts';

const clients: Readonly<Record<string, Connection>> = {
  'plain http': { alpn: ['http/1.1'] },
  'plain h2c': { alpn: ['h2c'] },
  'plain bytes': {},
  'mesh http': { isTls: true, alpn: ['mesh-http/1.1', 'mesh'] },
  'mesh h2': { isTls: true, alpn: ['mesh-h2', 'mesh', 'h2'] },
  'mesh bytes': { isTls: true, alpn: ['mesh'] },
  'own tls': { isTls: true, alpn: ['h2', 'http/1.1'] },
};

interface Options {
  readonly modes?: EffectiveInbound;
  readonly settings?: Partial<Settings>;
  readonly servicePorts?: readonly string[];
  readonly rule?: TrafficBlocks;
  readonly workload?: Partial<Workload>;
}

function inboundOf({
  modes = inboundModes('PERMISSIVE'),
  settings,
  servicePorts,
  rule,
  workload,
}: Options = {}): InboundIR {
  const service = meshService('a/httpbin', { ports: ports(...(servicePorts ?? ['8000/http'])) });
  const lowering = { settings: { ...defaultSettings, ...settings }, memo: new Memo() };
  const answers = effective([effectiveOutbound(service, rule)], modes);
  const scope = clientScope({ namespace: 'a' });
  return lowerInbound(meshWorkload('a/httpbin-1', [service], workload), scope, answers, lowering, new DiagnosticBag());
}

function outcomes(inbound: InboundIR, port: number): Readonly<Record<string, string>> {
  const [listener] = inbound.listeners;
  const entries = Object.entries(clients).map(([client, connection]) => {
    const chain = matchChain(listener!, { ...connection, port });
    if (chain === undefined) return [client, 'reset'];
    return [client, `${chain.tls === undefined ? 'plain' : 'mtls'} ${chain.filter.kind}`];
  });
  return Object.fromEntries(entries);
}

const row = (...cells: readonly string[]) =>
  Object.fromEntries(Object.keys(clients).map((client, i) => [client, cells[i] ?? '']));

describe('ports of the proxy itself', () => {
  test.each([15000, 15001, 15006])('%i gets no chain and no cluster, whatever a service says', (port) => {
    const { listeners, clusters } = inboundOf({
      servicePorts: [`${port}/http`],
      settings: { inboundDelivery: 'LOCALHOST' },
    });
    expect(clusters.map(({ name }) => name)).toEqual(['InboundPassthroughCluster']);
    const chains = listeners[0]?.filterChains.filter(({ match }) => match.destinationPort === port);
    expect(chains?.map(({ name }) => name)).toEqual(port === 15006 ? ['virtualInbound-blackhole'] : []);
  });
});

describe('chains of a port', () => {
  const table: readonly [string, string, Readonly<Record<string, string>>][] = [
    ['STRICT', 'http', row('reset', 'reset', 'reset', 'mtls http', 'mtls http', 'mtls http', 'mtls http')],
    ['STRICT', 'tcp', row('reset', 'reset', 'reset', 'mtls tcp', 'mtls tcp', 'mtls tcp', 'mtls tcp')],
    ['STRICT', 'auto', row('reset', 'reset', 'reset', 'mtls http', 'mtls http', 'mtls tcp', 'mtls tcp')],
    [
      'PERMISSIVE',
      'http',
      row('plain http', 'plain http', 'plain http', 'mtls http', 'mtls http', 'mtls http', 'reset'),
    ],
    ['PERMISSIVE', 'tcp', row('plain tcp', 'plain tcp', 'plain tcp', 'mtls tcp', 'mtls tcp', 'mtls tcp', 'plain tcp')],
    [
      'PERMISSIVE',
      'auto',
      row('plain http', 'plain http', 'plain tcp', 'mtls http', 'mtls http', 'mtls tcp', 'plain tcp'),
    ],
    // Without an inspector TLS is bytes like others.
    [
      'DISABLE',
      'http',
      row('plain http', 'plain http', 'plain http', 'plain http', 'plain http', 'plain http', 'plain http'),
    ],
    ['DISABLE', 'tcp', row('plain tcp', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp')],
    [
      'DISABLE',
      'auto',
      row('plain http', 'plain http', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp'),
    ],
  ];
  test.each(table)('%s treats the clients of a port of class %s by the matrix', (mode, protocol, expected) => {
    const inbound = inboundOf({
      modes: inboundModes(mode as 'STRICT'),
      servicePorts: [`8000/${protocol}`],
    });
    expect(outcomes(inbound, 8000)).toEqual(expected);
  });

  test.each(table.filter(([, protocol]) => protocol === 'auto'))(
    '%s holds for ports that no service declares',
    (mode, _, expected) => {
      const inbound = inboundOf({ modes: inboundModes(mode as 'STRICT') });
      expect(outcomes(inbound, 9999)).toEqual(expected);
    },
  );

  test('takes the mode of the container port where one is set, and passes own TLS of a DISABLE workload on beside it', () => {
    const inbound = inboundOf({
      modes: inboundModes('DISABLE', { 8090: 'STRICT' }),
      servicePorts: ['8090/http', '8091/auto'],
    });
    expect(outcomes(inbound, 8090)).toMatchObject({ 'plain http': 'reset', 'mesh http': 'mtls http' });
    expect(outcomes(inbound, 8091)).toMatchObject({ 'plain http': 'plain http', 'own tls': 'plain tcp' });
    expect(outcomes(inbound, 9999)).toMatchObject({ 'plain http': 'plain http', 'own tls': 'plain tcp' });
  });

  test('treats detected ports as TCP when detection is off', () => {
    const inbound = inboundOf({ settings: { sniffInbound: false }, servicePorts: ['8000/auto'] });
    expect(outcomes(inbound, 8000)).toEqual(outcomes(inboundOf({ servicePorts: ['8000/tcp'] }), 8000));
    expect(outcomes(inbound, 9999)).toEqual(outcomes(inbound, 8000));
    expect(inbound.listeners[0]?.listenerFilters.httpInspector).toBeUndefined();
    expect(inbound.routes).toEqual([]);
  });

  test('names the field that decided the mode', () => {
    const [listener] = inboundOf({ modes: inboundModes('PERMISSIVE', { 8000: 'STRICT' }) }).listeners;
    const chain = matchChain(listener!, { port: 8000, isTls: true });
    const fields = chain?.origins.decidedBy.map(({ kind, field }) => `${kind} ${field.join('.')}`);
    expect(fields).toEqual(['PeerAuthentication spec.portLevelMtls.8000.mode', 'Service spec.ports.0']);
    expect(chain?.tls?.origins.decidedBy).toHaveLength(1);
  });
});

describe('virtualInbound', () => {
  test('sends connections to its own port nowhere', () => {
    const [listener] = inboundOf().listeners;
    expect(matchChain(listener!, { port: 15006 })?.filter).toMatchObject({ kind: 'tcp', cluster: 'BlackHoleCluster' });
    expect(listener?.filterChains[0]?.name).toBe('virtualInbound-blackhole');
  });

  test.each(['STRICT', 'PERMISSIVE', 'DISABLE'] as const)(
    'gives every chain under %s a name and a match of its own',
    (mode) => {
      const servicePorts = ['80/http', '81/tcp', '82/auto', '83/https'];
      const [listener] = inboundOf({ modes: inboundModes(mode), servicePorts }).listeners;
      const chains = listener?.filterChains ?? [];
      expect(new Set(chains.map(({ name }) => name)).size).toBe(chains.length);
      expect(new Set(chains.map(({ match }) => JSON.stringify(match))).size).toBe(chains.length);
    },
  );

  test('switches each inspector off for the ports that do not need it', () => {
    const modes = inboundModes('PERMISSIVE', { 81: 'DISABLE', 83: 'DISABLE' });
    const [listener] = inboundOf({ modes, servicePorts: ['80/http', '81/tcp', '82/auto', '83/auto'] }).listeners;
    expect(listener?.listenerFilters).toMatchObject({
      originalDst: true,
      tlsInspector: { disabledPorts: [81, 83] },
      httpInspector: { disabledPorts: [80, 81] },
      timeoutMs: 1000,
      continueOnTimeout: true,
    });
  });

  test('has no inspector for TLS when nothing takes it', () => {
    const [listener] = inboundOf({ modes: inboundModes('DISABLE') }).listeners;
    expect(listener?.listenerFilters.tlsInspector).toBeUndefined();
  });

  test('passes by ports of datagrams', () => {
    const inbound = inboundOf({ servicePorts: ['53/udp'] });
    expect(inbound.clusters.map(({ name }) => name)).toEqual(['InboundPassthroughCluster']);
  });

  test.each([
    [['ipv4'], ['0.0.0.0'], ['127.0.0.6']],
    [['ipv6'], ['::'], ['::6']],
    [
      ['ipv4', 'ipv6'],
      ['0.0.0.0', '::'],
      ['127.0.0.6', '::6'],
    ],
    [
      ['ipv6', 'ipv4'],
      ['0.0.0.0', '::'],
      ['127.0.0.6', '::6'],
    ],
  ] as const)('listens and delivers on %s', (families, addresses, bind) => {
    const inbound = inboundOf({ workload: { families } });
    expect(inbound.listeners[0]?.addresses).toEqual(addresses);
    expect(inbound.clusters.map(({ bindAddresses }) => bindAddresses)).toEqual([bind, bind]);
  });
});

describe('mutual TLS of inbound chains', () => {
  const tlsOf = (settings: Partial<Settings>, protocol = 'http') => {
    const inbound = inboundOf({ settings, servicePorts: [`8000/${protocol}`] });
    const tls = matchChain(inbound.listeners[0]!, { port: 8000, isTls: true, alpn: ['mesh'] })?.tls;
    return tls?.kind === 'mesh' ? tls : undefined;
  };

  test('accepts identities of the trust domain and its aliases, each with the slash that ends the name', () => {
    const sans = tlsOf({ trustDomain: 'td', trustDomainAliases: ['old', 'td'] })?.peerSans;
    expect(sans).toEqual([
      { kind: 'prefix', value: 'spiffe://td/' },
      { kind: 'prefix', value: 'spiffe://old/' },
    ]);
  });

  test('accepts every identity of the root when the trust domain is not validated', () => {
    expect(tlsOf({ skipValidateTrustDomain: true })?.peerSans).toEqual([]);
  });

  test('offers HTTP versions where HTTP is spoken, nothing where bytes are', () => {
    expect([tlsOf({})?.alpn, tlsOf({}, 'tcp')?.alpn]).toEqual([['h2', 'http/1.1'], []]);
  });
});

describe('delivery to the application', () => {
  const portCluster = (options: Options) => inboundOf(options).clusters.find(({ name }) => name === 'inbound|8000||');

  test('goes to the address that the client dialled', () => {
    expect(portCluster({})).toMatchObject({
      type: 'original-dst',
      loadBalancing: { policy: 'cluster-provided' },
      endpoints: undefined,
      bindAddresses: ['127.0.0.6'],
    });
  });

  test('goes to loopback when the mesh says so', () => {
    const cluster = portCluster({ settings: { inboundDelivery: 'LOCALHOST' }, workload: { families: ['ipv6'] } });
    expect(cluster).toMatchObject({ type: 'static', bindAddresses: [] });
    expect(cluster?.endpoints?.localities[0]?.endpoints[0]).toMatchObject({ address: '::1', port: 8000 });
  });

  test('keeps the client address under TPROXY, from a transparent listener', () => {
    const inbound = inboundOf({ workload: { interceptionMode: 'TPROXY' }, settings: { inboundDelivery: 'LOCALHOST' } });
    expect(inbound.listeners[0]).toMatchObject({ transparent: true, listenerFilters: { originalSrcMark: 1337 } });
    expect(inbound.clusters.map(({ type, bindAddresses }) => [type, bindAddresses])).toEqual([
      ['original-dst', []],
      ['original-dst', []],
    ]);
  });

  test.each([
    ['http', 'http1'],
    ['grpc', 'http2'],
    ['auto', 'downstream'],
    ['tcp', 'none'],
  ])('speaks to a port of protocol %s in form %s', (protocol, form) => {
    expect(portCluster({ servicePorts: [`8000/${protocol}`] })?.http.protocol).toBe(form);
  });

  test('takes the connection pool of the rule, and nothing else of it', () => {
    const rule: TrafficBlocks = {
      connectionPool: { tcp: { maxConnections: 7, connectTimeout: '2s' }, http: { http1MaxPendingRequests: 0 } },
      outlierDetection: { consecutive5xxErrors: 1 },
      tls: { mode: 'SIMPLE' },
      loadBalancer: { simple: 'RANDOM' },
    };
    expect(portCluster({ rule })).toMatchObject({
      connectTimeoutMs: 2000,
      circuitBreakers: { maxConnections: 7, maxPendingRequests: 4294967295 },
      outlierDetection: undefined,
      transport: { kind: 'plaintext' },
      loadBalancing: { policy: 'cluster-provided' },
    });
  });
});

describe('inbound routes', () => {
  test('send all of a port to its cluster, with no time-out and no retries', () => {
    const inbound = inboundOf();
    expect(inbound.routes.map(({ name }) => name)).toEqual(['inbound.8000', 'inbound.passthrough']);
    expect(inbound.routes[0]?.virtualHosts).toMatchObject([
      {
        domains: ['*'],
        routes: [{ name: 'default', action: { cluster: 'inbound|8000||', timeoutMs: 0, retry: undefined } }],
      },
    ]);
  });

  test('are asked for by the port’s HTTP chains, which set the header that names the caller', () => {
    const [listener] = inboundOf({ settings: { http10: true, traceSamplingPercent: 5 } }).listeners;
    expect(matchChain(listener!, { port: 8000, alpn: ['http/1.1'] })?.filter).toMatchObject({
      kind: 'http',
      routeConfig: 'inbound.8000',
      xfcc: 'sanitize-set-uri',
      useRemoteAddress: false,
      http10: true,
      tracing: { samplingPercent: 5 },
      pathNormalization: 'DECODE_AND_MERGE_SLASHES',
    });
  });
});
