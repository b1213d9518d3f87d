import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import { noPolicies } from '../../policy/policy-set.ts';
import { destinationRule, namespace, peerAuthentication, pod, service, serviceEntry } from '../../testing/objects.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import type { Effective } from '../merge/effective.ts';
import { clientScope, merge } from '../merge/merge.ts';
import { resolveTopology } from '../topology/resolve.ts';
import { createLowerCache, lower } from './lower.ts';
import { matchChain } from './testing/match-chain.ts';

const objects = [
  namespace('a', { 'mesh-injection': 'enabled' }),
  namespace('b', { 'mesh-injection': 'enabled' }),
  namespace('legacy'),
  ...['a/httpbin', 'a/curl', 'b/httpbin', 'legacy/httpbin'].map((name, i) =>
    pod({ name, labels: { app: name.split('/')[1] ?? '' } }, `10.1.0.${i + 1}`, { containers: [{ name: 'app' }] }),
  ),
  ...['a', 'b', 'legacy'].map((name, i) =>
    service(`${name}/httpbin`, {
      clusterIP: `10.96.0.${i + 1}`,
      selector: { app: 'httpbin' },
      ports: [{ name: 'http', port: 8000 }],
    }),
  ),
  serviceEntry('a/api', {
    hosts: ['api.example'],
    ports: [{ number: 443, name: 'tls', protocol: 'TLS' }],
    resolution: 'DNS',
  }),
];

/** Compiles call after call up to the IR, as one compiler does. */
function compiler() {
  const topology = resolveTopology(objects, defaultSettings, new DiagnosticBag());
  const cache = createLowerCache();
  let effective: Effective | undefined;
  return (peerAuthentications: PeerAuthentication[] = [], destinationRules: DestinationRule[] = []) => {
    const bag = new DiagnosticBag();
    const settings = defaultSettings;
    effective = merge({ ...noPolicies, peerAuthentications, destinationRules, topology, settings }, bag, effective);
    const answers = effective;
    const scopeOf = (workload: Parameters<typeof clientScope>[0]) =>
      clientScope(workload, settings, { destinationRules });
    const proxies = topology.workloads
      .filter(({ role }) => role !== 'none')
      .map((workload) => lower(workload, { topology, effective: answers, settings, scopeOf }, bag, cache));
    return new Map(proxies.map((proxy) => [`${proxy.namespace}/${proxy.workload}`, proxy]));
  };
}

const httpbin = { matchLabels: { app: 'httpbin' } };
const strictHttpbin = peerAuthentication('a/strict', { selector: httpbin, mtls: { mode: 'STRICT' } });

function resourcesOf(proxy: ProxyIR | undefined): object[] {
  const { inbound, outbound } = proxy ?? { inbound: undefined, outbound: undefined };
  return [inbound, outbound].flatMap((half) => [
    ...(half?.listeners ?? []),
    ...(half?.routes ?? []),
    ...(half?.clusters ?? []),
  ]);
}

/** Names of the resources that `after` does not share with `before`. */
function changed(before: Map<string, ProxyIR>, after: Map<string, ProxyIR>): string[] {
  const known = new Set([...before.values()].flatMap(resourcesOf));
  return [...after].flatMap(([proxy, ir]) =>
    resourcesOf(ir)
      .filter((resource) => !known.has(resource))
      .map((resource) => `${proxy} ${(resource as { name: string }).name}`),
  );
}

describe('compiling again', () => {
  test('after nothing changed gives the identical proxies', () => {
    const compile = compiler();
    expect([...compile([strictHttpbin]).values()]).toEqual([...compile([strictHttpbin]).values()]);
    const [before, after] = [compile([strictHttpbin]), compile([strictHttpbin])];
    expect([...after].every(([name, proxy]) => proxy === before.get(name))).toBe(true);
  });

  test('after one policy for a workload changed makes one listener', () => {
    const compile = compiler();
    expect(changed(compile(), compile([strictHttpbin]))).toEqual(['a/httpbin virtualInbound']);
  });

  test('after a rule of a namespace came makes the clusters of its host, for the clients of that namespace', () => {
    const compile = compiler();
    const rule = destinationRule('a/plain', {
      host: 'httpbin.b.svc.cluster.local',
      trafficPolicy: { tls: { mode: 'DISABLE' } },
    });
    const cluster = 'outbound|8000||httpbin.b.svc.cluster.local';
    const names = changed(compile(), compile([], [rule])).filter((name) => name.includes('|'));
    expect(names).toEqual([`a/curl ${cluster}`, `a/httpbin ${cluster}`]);
  });

  test('after a policy is deleted gives what was there before', () => {
    const compile = compiler();
    const before = compile();
    compile([strictHttpbin]);
    expect(
      [...compile()].every(([name, proxy]) =>
        resourcesOf(proxy).every((it, i) => it === resourcesOf(before.get(name))[i]),
      ),
    ).toBe(true);
  });
});

/** What becomes of a request from a sidecar, and of one without, by the rows of the specification's outcome table. */
describe('the outcome table', () => {
  const strict = (name: string) => peerAuthentication(name, { mtls: { mode: 'STRICT' } });
  const disabled = peerAuthentication('a/off', { selector: httpbin, mtls: { mode: 'DISABLE' } });
  const rule = (mode: 'MESH_MUTUAL' | 'DISABLE', host: string) =>
    destinationRule(`a/${host.split('.')[1]}`, { host, trafficPolicy: { tls: { mode } } });
  const [hostA, hostB] = ['httpbin.a.svc.cluster.local', 'httpbin.b.svc.cluster.local'];

  const sidecarTo = (proxies: Map<string, ProxyIR>, server: string, host: string) => {
    const client = proxies.get('a/curl');
    const cluster = client?.outbound.clusters.find(({ name }) => name === `outbound|8000||${host}`);
    const assigned = client?.assignments.outbound.endpoints.find(({ clusterName }) => clusterName === cluster?.name);
    const [endpoint] = assigned?.localities[0]?.endpoints ?? [];
    const { transport } = cluster ?? {};
    const isMesh = transport?.kind === 'tls' || (transport?.kind === 'automatic' && endpoint?.hasSidecar === true);
    const listener = proxies.get(server)?.inbound.listeners[0];
    if (listener === undefined) return isMesh ? 'fails' : 'plain';
    const alpn = transport?.kind === 'plaintext' ? [] : (transport?.tls.alpn ?? []);
    const chain = matchChain(listener, isMesh ? { port: 8000, isTls: true, alpn } : { port: 8000, alpn: ['http/1.1'] });
    // A server that does not take mesh TLS passes its bytes to the application, which asks for no such thing.
    if (chain === undefined || isMesh !== (chain.tls !== undefined)) return 'fails';
    return isMesh ? 'mtls' : 'plain';
  };
  const nakedTo = (proxies: Map<string, ProxyIR>, server: string) => {
    const chain = matchChain(proxies.get(server)!.inbound.listeners[0]!, { port: 8000, alpn: ['http/1.1'] });
    return chain === undefined ? 'reset' : 'plain';
  };

  test.each<[string, PeerAuthentication[], DestinationRule[], string[]]>([
    ['no policy', [], [], ['mtls', 'mtls', 'plain', 'plain', 'plain']],
    ['mesh STRICT', [strict('mesh-system/all')], [], ['mtls', 'mtls', 'plain', 'reset', 'reset']],
    ['namespace STRICT', [strict('a/all')], [], ['mtls', 'mtls', 'plain', 'reset', 'plain']],
    [
      'workload STRICT with a rule',
      [peerAuthentication('b/one', { selector: httpbin, mtls: { mode: 'STRICT' } })],
      [rule('MESH_MUTUAL', hostB)],
      ['mtls', 'mtls', 'plain', 'plain', 'reset'],
    ],
    [
      'workload DISABLE with a rule',
      [strict('a/all'), disabled],
      [rule('DISABLE', hostA)],
      ['plain', 'mtls', 'plain', 'plain', 'plain'],
    ],
    ['workload DISABLE without a rule', [strict('a/all'), disabled], [], ['fails', 'mtls', 'plain', 'plain', 'plain']],
    [
      'rule DISABLE against STRICT',
      [strict('a/all')],
      [rule('DISABLE', hostA)],
      ['fails', 'mtls', 'plain', 'reset', 'plain'],
    ],
    [
      'rule MESH_MUTUAL to no sidecar',
      [],
      [rule('MESH_MUTUAL', 'httpbin.legacy.svc.cluster.local')],
      ['mtls', 'mtls', 'fails', 'plain', 'plain'],
    ],
  ])('%s', (_, peerAuthentications, rules, expected) => {
    const proxies = compiler()(peerAuthentications, rules);
    expect([
      sidecarTo(proxies, 'a/httpbin', hostA),
      sidecarTo(proxies, 'b/httpbin', hostB),
      sidecarTo(proxies, 'legacy/httpbin', 'httpbin.legacy.svc.cluster.local'),
      nakedTo(proxies, 'a/httpbin'),
      nakedTo(proxies, 'b/httpbin'),
    ]).toEqual(expected);
  });
});
