import { describe, expect, test } from 'vitest';
import type { TrafficBlocks } from '../../../policy/destination-rule.ts';
import { matchChain } from '../testing/match-chain.ts';
import { inboundOf, type Options } from './testing/inbound-of.ts';

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
