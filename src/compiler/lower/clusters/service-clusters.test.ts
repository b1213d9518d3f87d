import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { TrafficBlocks } from '../../../policy/destination-rule.ts';
import { clientScope, effectiveOutbound, meshService, ports } from '../../../testing/topology.ts';
import { Memo } from '../memo.ts';
import { serviceClusters } from './service-clusters.ts';
import { clustersOf, type Options } from './testing/clusters-of.ts';

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

  test.each([
    [{ descriptorLimit: 2 ** 20 }, { maxConnections: 524_160, maxPendingRequests: 65_520 }],
    [{ descriptorLimit: 4000 }, { maxConnections: 1872, maxPendingRequests: 1024 }],
    [{ descriptorLimit: 16 }, { maxConnections: 6, maxPendingRequests: 1024 }],
    [{}, { maxConnections: 4294967295, maxPendingRequests: 4294967295 }],
  ])('a cluster without a rule leaves descriptors to others on a machine of %j', (host, expected) => {
    const all = { memoryLimitBytes: undefined, ...host };
    expect(clustersOf({ host: all }).first.circuitBreakers).toMatchObject(expected);
    const connectionPool = { tcp: { maxConnections: 2 ** 20 } };
    expect(clustersOf({ host: all, rule: { connectionPool } }).first.circuitBreakers).toMatchObject({
      ...expected,
      maxConnections: 2 ** 20,
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
