import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import {
  clientScope,
  effective,
  effectiveOutbound,
  inboundModes,
  meshService,
  meshTopology,
  meshWorkload,
  ports,
} from '../../testing/topology.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import type { ClientScope, Effective, EffectiveInbound } from '../merge/effective.ts';
import type { ServiceTarget, Workload } from '../topology/model.ts';
import { createLowerCache, lower } from './lower.ts';

const topology = meshTopology();

/** Lowers with one cache, call after call, as one compiler does. */
function lowering(settings: Settings = defaultSettings) {
  const cache = createLowerCache();
  return (workload: Workload, answers: Effective, scope: Partial<ClientScope> = {}, own: Settings = settings) => {
    const bag = new DiagnosticBag();
    const namespace = workload.namespace;
    const scopeOf = () => clientScope({ namespace, ...scope });
    const proxy = lower(workload, { topology, effective: answers, settings: own, scopeOf }, bag, cache);
    return { ...proxy, proxy, codes: bag.all.map(({ code }) => code) };
  };
}

/** Origins point into documents, whose functions are each their own. */
function plain({ inbound }: Pick<ProxyIR, 'inbound'>): string {
  return JSON.stringify(inbound);
}

const service = meshService('a/httpbin', { ports: ports('8000/http', '9000/tcp') });
const one = meshWorkload('a/one', [service]);
const two = meshWorkload('a/two', [service], { addresses: ['10.1.0.2'] });

describe('what is shared', () => {
  test('proxies of equal scopes have the identical outbound part, and those that accept the same the identical inbound part', () => {
    const lowered = lowering();
    const answers = effective([effectiveOutbound(service)]);
    const [first, second] = [lowered(one, answers), lowered(two, answers)];
    expect(second.outbound).toBe(first.outbound);
    expect(second.inbound).toBe(first.inbound);
    expect(second.bootstrap).not.toBe(first.bootstrap);
  });

  const [http, bytes] = one.targets as [ServiceTarget, ServiceTarget];

  const permissive = inboundModes('PERMISSIVE');

  test.each<readonly [string, Workload, EffectiveInbound]>([
    ['another family', { ...two, families: ['ipv6'] }, permissive],
    ['another interception', { ...two, interceptionMode: 'TPROXY' }, permissive],
    [
      'a container port that it names otherwise',
      { ...two, targets: [{ ...http, targetPort: 8080 }, bytes] },
      permissive,
    ],
    ['fewer service ports', { ...two, targets: [http] }, permissive],
    ['a service of its own', meshWorkload('a/two', [meshService('a/own', { ports: service.ports })]), permissive],
    ['another mode', two, inboundModes('STRICT')],
  ])('a proxy with %s has an inbound part of its own, as if it were alone', (_, workload, modes) => {
    const outbound = [effectiveOutbound(service)];
    const lowered = lowering();
    const first = lowered(one, effective(outbound, permissive));
    const second = lowered(workload, effective(outbound, modes));
    expect(second.inbound).not.toBe(first.inbound);
    expect(plain(second)).toBe(plain(lowering()(workload, effective(outbound, modes))));
  });

  test('each of several proxies that share an inbound part gets its own diagnostics', () => {
    const lowered = lowering({ ...defaultSettings, inboundDelivery: 'LOCALHOST' });
    const answers = effective([effectiveOutbound(service)]);
    const codes = [one, two].map((workload) => lowered({ ...workload, interceptionMode: 'TPROXY' }, answers).codes);
    expect(codes).toEqual([['loopback-delivery-under-tproxy'], ['loopback-delivery-under-tproxy']]);
  });

  test('the same question gives the identical proxy', () => {
    const lowered = lowering();
    const answers = effective([effectiveOutbound(service)]);
    expect(lowered(one, answers).proxy).toBe(lowered(one, answers).proxy);
  });

  test('namespaces share clusters and listeners, and have virtual hosts of their own', () => {
    const lowered = lowering();
    const answers = effective([effectiveOutbound(service)]);
    const [own, other] = [lowered(one, answers), lowered(meshWorkload('b/one'), answers)];
    expect(other.outbound.clusters).toEqual(own.outbound.clusters);
    expect(other.outbound.clusters.every((cluster, i) => cluster === own.outbound.clusters[i])).toBe(true);
    expect(other.outbound.listeners.every((listener, i) => listener === own.outbound.listeners[i])).toBe(true);
    expect(other.outbound.routes[0]).not.toBe(own.outbound.routes[0]);
  });

  test('a policy for one workload makes its listener anew, and nothing else', () => {
    const lowered = lowering();
    const outbound = [effectiveOutbound(service)];
    const before = lowered(one, effective(outbound, inboundModes('PERMISSIVE')));
    const after = lowered(one, effective(outbound, inboundModes('STRICT')));
    expect(after.outbound).toBe(before.outbound);
    expect(after.inbound.listeners[0]).not.toBe(before.inbound.listeners[0]);
    expect(after.inbound.clusters.every((cluster, i) => cluster === before.inbound.clusters[i])).toBe(true);
    expect(after.inbound.routes.every((route, i) => route === before.inbound.routes[i])).toBe(true);
    expect(after.bootstrap).toBe(before.bootstrap);
  });

  test('a rule for one service makes that service’s clusters anew', () => {
    const lowered = lowering();
    const other = meshService('a/other', { addresses: ['10.0.0.2'] });
    const kept = effectiveOutbound(other);
    const before = lowered(one, effective([effectiveOutbound(service), kept]));
    const after = lowered(one, effective([effectiveOutbound(service, { tls: { mode: 'DISABLE' } }), kept]));
    const changed = after.outbound.clusters.filter((cluster) => !before.outbound.clusters.includes(cluster));
    expect(changed.map(({ name }) => name)).toEqual([
      'outbound|8000||httpbin.a.svc.cluster.local',
      'outbound|9000||httpbin.a.svc.cluster.local',
    ]);
    const listeners = after.outbound.listeners.filter((listener) => !before.outbound.listeners.includes(listener));
    expect(listeners.map(({ name }) => name)).toEqual(['10.0.0.1_9000']);
  });

  test('changed settings lower the outbound part again', () => {
    const lowered = lowering();
    const answers = effective([effectiveOutbound(service)]);
    const strict = lowered(one, answers, {}, { ...defaultSettings, outboundTrafficPolicy: 'REGISTRY_ONLY' });
    expect(strict.outbound).not.toBe(lowered(one, answers).outbound);
  });
});

describe('faults of what is shared', () => {
  const answers = effective([effectiveOutbound(service, { tls: { mode: 'SIMPLE', credentialName: 'x' } })]);

  test('are reported again when a cached result is used', () => {
    const lowered = lowering();
    const codes = ['credential-name-on-sidecar', 'credential-name-on-sidecar'];
    expect([lowered(one, answers).codes, lowered(one, answers).codes]).toEqual([codes, codes]);
  });

  test('are reported once a run, however many proxies share it', () => {
    const cache = createLowerCache();
    const bag = new DiagnosticBag();
    const scopeOf = () => clientScope({ namespace: 'a' });
    for (const workload of [one, two]) {
      lower(workload, { topology, effective: answers, settings: defaultSettings, scopeOf }, bag, cache);
    }
    expect(bag.all).toHaveLength(2);
  });
});

describe('a router', () => {
  test('has clusters, and no listener without a Gateway', () => {
    const router = meshWorkload('a/gateway', [service], { role: 'router' });
    const { inbound, outbound } = lowering()(router, effective([effectiveOutbound(service)]), { role: 'router' });
    expect(inbound).toEqual({ listeners: [], routes: [], clusters: [] });
    expect([outbound.listeners, outbound.clusters.length]).toEqual([[], 4]);
  });
});

describe('bootstrap', () => {
  test('says who the proxy is', () => {
    const proxySettings = {
      ...defaultSettings.proxy,
      proxyMetadata: { MESH_META_TEAM: 'x', OTHER: 'y', MESH_META_NAME: 'no' },
    };
    const settings = { ...defaultSettings, proxy: proxySettings, initialFetchTimeoutMs: 5 };
    const workload = meshWorkload('a/one', [], { locality: 'r/z/s', labels: { b: '2', a: '1' } });
    const { bootstrap } = lowering(settings)(workload, effective([]));
    expect(bootstrap).toMatchObject({
      nodeId: 'sidecar~10.1.0.1~one.a~a.svc.cluster.local',
      serviceCluster: 'mesh-proxy',
      locality: { region: 'r', zone: 'z', subZone: 's' },
      localhost: '127.0.0.1',
      wildcard: '0.0.0.0',
      initialFetchTimeoutMs: 5,
    });
    expect(bootstrap.metadata).toEqual({
      CLUSTER_ID: 'Cluster',
      INSTANCE_IPS: '10.1.0.1',
      INTERCEPTION_MODE: 'REDIRECT',
      LABELS: { a: '1', b: '2' },
      NAME: 'one',
      NAMESPACE: 'a',
      SDS: 'true',
      SERVICE_ACCOUNT: 'default',
      TEAM: 'x',
      WORKLOAD_NAME: 'one',
    });
  });

  test('uses loopback and wildcard addresses of the first IP family of the workload', () => {
    const workload = meshWorkload('a/one', [], { addresses: [], families: ['ipv6', 'ipv4'] });
    const { bootstrap } = lowering()(workload, effective([]));
    expect(bootstrap).toMatchObject({
      nodeId: 'sidecar~::1~one.a~a.svc.cluster.local',
      localhost: '::1',
      wildcard: '::',
    });
  });
});
