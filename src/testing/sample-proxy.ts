import type { ProxyIR } from '../compiler/ir/proxy.ts';
import {
  bootstrapIR,
  chainIR,
  decidedBy,
  downstreamTls,
  forward,
  httpIR,
  listenerIR,
  matchIR,
  origin,
  proxyIR,
  routeIR,
  routesIR,
  tcpIR,
  virtualHostIR,
} from './ir.ts';
import { clusterIR, endpointIR, externalTls, originalDstIR, upstreamTls } from './ir-clusters.ts';

const strict = decidedBy(origin('PeerAuthentication', 'a', 'default', 'spec.mtls.mode', 40));
const rule = decidedBy(origin('DestinationRule', 'b', 'api', 'spec.trafficPolicy', 60));

/** A sidecar that uses every part of the IR at least once. */
export function sampleProxy(): ProxyIR {
  return proxyIR({
    bootstrap: bootstrapIR({
      locality: { region: 'eu', zone: 'eu-1', subZone: 'rack-2' },
      statsInclusion: { prefixes: ['cluster.outbound'], suffixes: ['_rq'], regexps: ['x.*y'] },
      extraStatTags: ['team'],
      outlierLogPath: '/dev/null',
    }),
    inbound: { listeners: [inboundListener], routes: [inboundRoutes], clusters: inboundClusters },
    outbound: { listeners: outboundListeners, routes: [outboundRoutes], clusters: outboundClusters },
  });
}

const inboundListener = listenerIR('virtualInbound', 15006, {
  addresses: ['0.0.0.0', '::'],
  listenerFilters: {
    originalDst: true,
    originalSrcMark: 1337,
    tlsInspector: { disabledPorts: [3306] },
    httpInspector: { disabledPorts: [3306, 5432] },
    timeoutMs: 1000,
    continueOnTimeout: true,
  },
  filterChains: [
    chainIR('virtualInbound-blackhole', tcpIR('BlackHoleCluster'), { match: matchIR({ destinationPort: 15006 }) }),
    chainIR('0.0.0.0_8000', httpIR('inbound.8000', { http10: true, tracing: { samplingPercent: 1.5 } }), {
      match: matchIR({ destinationPort: 8000, transportProtocol: 'tls' }),
      tls: downstreamTls({ origins: strict }),
      origins: strict,
    }),
    chainIR('virtualInbound', tcpIR('InboundPassthroughCluster'), {
      match: matchIR({ transportProtocol: 'tls', applicationProtocols: ['mesh'] }),
      tls: downstreamTls({ alpn: [], peerSans: [] }),
    }),
  ],
});

const inboundRoutes = routesIR(
  'inbound.8000',
  virtualHostIR('inbound|http|8000', ['*'], [routeIR('default', forward('inbound|8000||'))]),
);

const inboundClusters = [
  originalDstIR('inbound|8000||', { bindAddresses: ['127.0.0.6', '::6'] }),
  originalDstIR('InboundPassthroughCluster', { bindAddresses: ['127.0.0.6'] }),
];

const noInspection = {
  originalDst: false,
  originalSrcMark: undefined,
  tlsInspector: undefined,
  httpInspector: undefined,
  timeoutMs: 0,
  continueOnTimeout: false,
};

const outboundListeners = [
  listenerIR('virtualOutbound', 15001, {
    direction: 'OUTBOUND',
    useOriginalDst: true,
    accessLog: false,
    listenerFilters: { ...noInspection, originalDst: true },
    filterChains: [
      chainIR('virtualOutbound-blackhole', tcpIR('BlackHoleCluster'), { match: matchIR({ destinationPort: 15001 }) }),
      chainIR('virtualOutbound-catchall-tcp', tcpIR('PassthroughCluster')),
    ],
  }),
  listenerIR('0.0.0.0_8000', 8000, {
    direction: 'OUTBOUND',
    bindToPort: false,
    filterChains: [
      chainIR(
        '8000',
        httpIR('api.b.svc.cluster.local:8000', {
          direction: 'outbound',
          xfcc: 'sanitize',
          useRemoteAddress: true,
          pathNormalization: 'BASE',
          alpnOverride: { alpn: ['mesh-http/1.1', 'mesh', 'http/1.1'] },
        }),
        { match: matchIR({ applicationProtocols: ['http/1.0', 'http/1.1', 'h2c'] }) },
      ),
    ],
    defaultFilterChain: chainIR(
      'PassthroughFilterChain',
      tcpIR('PassthroughCluster', { idleTimeoutMs: 0, maxConnectionDurationMs: 1500, hashSourceIp: true }),
    ),
  }),
  listenerIR('10.1.0.9_9000', 9000, {
    addresses: ['10.1.0.9'],
    direction: 'OUTBOUND',
    bindToPort: false,
    listenerFilters: { ...noInspection, tlsInspector: { disabledPorts: [] } },
    filterChains: [
      chainIR('tls', tcpIR('outbound|9000||tls.example.com'), {
        match: matchIR({ serverNames: ['tls.example.com'], destinationPrefixes: ['10.1.0.0/16', '10.2.0.1'] }),
      }),
    ],
    notForAddresses: ['10.1.0.9'],
  }),
];

const outboundRoutes = routesIR(
  'api.b.svc.cluster.local:8000',
  virtualHostIR(
    'api.b.svc.cluster.local:8000',
    ['api.b.svc.cluster.local', 'api.b', '10.1.0.9', '[fd00::9]'],
    [
      routeIR(
        'default',
        forward('outbound|8000||api.b.svc.cluster.local', {
          timeoutMs: 15_000,
          retry: { attempts: 2, retryOn: ['connect-failure', 'refused-stream'], avoidPreviousHosts: true },
          hashPolicies: [
            { kind: 'header', name: 'x-user' },
            { kind: 'cookie', name: 'session', path: '/', ttlMs: 0 },
            { kind: 'source-ip' },
            { kind: 'query-parameter', name: 'id' },
          ],
        }),
        rule,
      ),
    ],
    { includeAttemptCount: true },
  ),
  virtualHostIR('block_all', ['*'], [routeIR('block_all', { kind: 'direct-response', status: 502 })]),
);

const outboundClusters = [
  clusterIR('BlackHoleCluster', { http: { ...clusterIR('').http, protocol: 'none' } }),
  originalDstIR('PassthroughCluster', { http: { ...clusterIR('').http, protocol: 'downstream' } }),
  clusterIR(
    'outbound|8000||api.b.svc.cluster.local',
    {
      transport: { kind: 'automatic', tls: upstreamTls(), origins: strict },
      loadBalancing: { policy: 'ring-hash', minimumRingSize: 1024 },
      http: {
        protocol: 'http2',
        maxConcurrentStreams: 100,
        idleTimeoutMs: 30_000,
        maxRequestsPerConnection: 10,
        http10: false,
      },
      circuitBreakers: {
        maxConnections: 4294967295,
        maxPendingRequests: 4294967295,
        maxRequests: 4294967295,
        maxRetries: 3,
      },
      outlierDetection: {
        consecutive5xx: 7,
        consecutiveGatewayFailure: 0,
        consecutiveLocalOriginFailure: 5,
        splitExternalLocalOriginErrors: true,
        intervalMs: 10_000,
        baseEjectionTimeMs: 30_000,
        maxEjectionPercent: 50,
      },
      healthyPanicPercent: 0,
      localityWeighted: false,
      keepalive: { probes: 3, timeSeconds: 60, intervalSeconds: undefined },
      maxConnectionDurationMs: 60_000,
      origins: rule,
    },
    endpointIR('10.0.0.2', 8000, { hasSidecar: true, weight: 3 }),
    endpointIR('10.0.0.3', 8000),
    endpointIR('/run/app.sock', 0),
  ),
  clusterIR(
    'outbound|9000||tls.example.com',
    {
      type: 'strict-dns',
      dns: { refreshRateMs: 5000, families: 'v4' },
      transport: { kind: 'tls', tls: externalTls(), origins: rule },
      http: { ...clusterIR('').http, protocol: 'none' },
      loadBalancing: { policy: 'maglev', tableSize: 65537 },
    },
    endpointIR('tls.example.com', 9000),
  ),
  clusterIR(
    'outbound|443||www.example.com',
    {
      type: 'logical-dns',
      dns: { refreshRateMs: 5000, families: 'all' },
      transport: {
        kind: 'tls',
        tls: externalTls({
          sni: undefined,
          autoSni: true,
          autoSanValidation: true,
          serverSans: [],
          trustedCa: undefined,
        }),
        origins: rule,
      },
      http: { ...clusterIR('').http, protocol: 'http1', http10: true },
      loadBalancing: { policy: 'round-robin' },
    },
    endpointIR('www.example.com', 443),
  ),
  clusterIR('outbound|7000||mesh.b.svc.cluster.local', {
    transport: { kind: 'tls', tls: upstreamTls({ serverSans: [] }), origins: rule },
  }),
  clusterIR('outbound|7001||plain.b.svc.cluster.local', { transport: { kind: 'plaintext', origins: rule } }),
];
