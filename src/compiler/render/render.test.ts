import { describe, expect, test } from 'vitest';
import {
  bootstrapIR,
  chainIR,
  decidedBy,
  downstreamTls,
  forward,
  httpIR,
  listenerIR,
  origin,
  proxyIR,
  routeIR,
  routesIR,
  tcpIR,
  virtualHostIR,
} from '../../testing/ir.ts';
import { clusterIR } from '../../testing/ir-clusters.ts';
import { sampleProxy } from '../../testing/sample-proxy.ts';
import { createRenderer } from './render.ts';
import { cluster, half, listener, rendered } from './testing/rendered.ts';

const policy = origin('PeerAuthentication', 'a', 'strict', 'spec.mtls.mode');

describe('createRenderer', () => {
  test('writes canonical text: keys in the order of the template, two spaces, the same on every run', () => {
    const first = rendered(sampleProxy());
    const again = rendered(sampleProxy());
    for (const [i, { text, json }] of first.clusters.entries()) {
      expect(text).toBe(JSON.stringify(json, null, 2));
      expect(again.clusters[i]).toMatchObject({ text });
    }
    expect(first.listeners[0]?.text).toMatch(/^\{\n {2}"name": "0\.0\.0\.0_8000",\n {2}"traffic_direction"/);
    expect(first.listeners[0]?.text).not.toContain('\\u0000');
  });

  test('gives the same resource for the same IR object, in a proxy that shares it', () => {
    const renderer = createRenderer();
    const outbound = half({ clusters: [clusterIR('b'), clusterIR('a')] });
    const [one, two] = ['1', '2'].map((workload) => rendered(proxyIR({ workload, outbound }), renderer));
    expect(one?.clusters.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(two?.clusters[0]).toBe(one?.clusters[0]);
  });

  test('renders listeners again for another configuration folder, which they name', () => {
    const renderer = createRenderer();
    const inbound = half({ listeners: [listenerIR('l', 1, { filterChains: [chainIR('c', httpIR('a:80'))] })] });
    const paths = ['/one', '/two'].map((configPath) => {
      const config = rendered(proxyIR({ bootstrap: bootstrapIR({ configPath }), inbound }), renderer);
      return /"path": "(.*routes.*json)"/.exec(config.listeners[0]?.text ?? '')?.[1];
    });
    expect(paths).toEqual(['/one/routes/a%3A80.json', '/two/routes/a%3A80.json']);
  });

  test('gives proxies of one outbound half one set of resources, whatever each leaves out', () => {
    const listeners = [listenerIR('a', 1), { ...listenerIR('b', 2), notForAddresses: ['10.0.0.1'] }];
    const outbound = half({ listeners, clusters: [clusterIR('c')] });
    const renderer = createRenderer();
    const configs = ['10.0.0.1', '10.0.0.2'].map((address) =>
      rendered(proxyIR({ workload: address, addresses: [address], outbound }), renderer),
    );
    expect(configs[0]?.shared).toBe(configs[1]?.shared);
    expect(configs.map(({ listeners: list }) => list.map(({ name }) => name))).toEqual([['a'], ['a', 'b']]);
  });

  test('merges both halves by name', () => {
    const inbound = half({ clusters: [clusterIR('b'), clusterIR('d')] });
    const outbound = half({ clusters: [clusterIR('e'), clusterIR('c'), clusterIR('a')] });
    expect(rendered(proxyIR({ inbound, outbound })).clusters.map(({ name }) => name)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
  });

  test('leaves a listener out of the proxy whose own address it is', () => {
    const listeners = [listenerIR('10.0.0.1_90', 90, { notForAddresses: ['10.0.0.1'] })];
    expect(rendered(proxyIR({ outbound: half({ listeners }) })).listeners).toEqual([]);
    expect(rendered(proxyIR({ addresses: [], outbound: half({ listeners }) })).listeners).toHaveLength(1);
  });
});

describe('origins', () => {
  test('stand at the object that the policy decided, with the policies that were overridden', () => {
    const overrode = [origin('PeerAuthentication', 'mesh-system', 'default')];
    const tls = downstreamTls({ origins: { decidedBy: [policy], overrode } });
    const chain = chainIR('c', tcpIR('x', { origins: decidedBy(policy) }), { tls, origins: decidedBy(policy) });
    const made = listener(listenerIR('l', 1, { filterChains: [chainIR('first', tcpIR('x')), chain] }));
    expect(made.origins.map(({ path }) => path)).toEqual([
      'filter_chains[1]',
      'filter_chains[1].transport_socket.typed_config',
      'filter_chains[1].filters[0].typed_config',
    ]);
    expect(made.origins[1]).toMatchObject({ decidedBy: [policy], overrode });
  });

  test('cannot be forged by a value that looks like a private id', () => {
    const metadata = { EVIL: '\u00000', nested: { list: ['\u00001'] } };
    const { bootstrap } = rendered(proxyIR({ bootstrap: bootstrapIR({ metadata, nodeId: '\u00000' }) }));
    expect(bootstrap.json).toMatchObject({ node: { id: '\u00000', metadata } });
    expect(bootstrap.origins).toEqual([]);
  });

  test('give plaintext that a rule asked for a transport socket to stand on', () => {
    const ir = clusterIR('c', { transport: { kind: 'plaintext', origins: decidedBy(policy) } });
    const [made] = rendered(proxyIR({ outbound: half({ clusters: [ir] }) })).clusters;
    expect(made?.origins).toMatchObject([{ path: 'transport_socket', decidedBy: [policy] }]);
    expect(cluster({})).not.toHaveProperty('transport_socket');
  });
});

describe('bootstrap', () => {
  test('keeps the statistics that show the active configuration, whatever the settings add', () => {
    const statsInclusion = { prefixes: ['http.', 'mine'], suffixes: ['s'], regexps: ['r.*'] };
    const { json } = rendered(proxyIR({ bootstrap: bootstrapIR({ statsInclusion }) })).bootstrap;
    const patterns = (json.stats_config as { stats_matcher: { inclusion_list: { patterns: object[] } } }).stats_matcher
      .inclusion_list.patterns;
    for (const prefix of ['cluster_manager.', 'listener_manager.', 'server.', 'http.', 'listener.', 'sds.', 'mine']) {
      expect(patterns.filter((pattern) => 'prefix' in pattern && pattern.prefix === prefix)).toHaveLength(1);
    }
    expect(patterns).toContainEqual({ safe_regex: { regex: 'r.*' } });
  });

  test('names files and socket in the configuration folder', () => {
    const { text } = rendered(proxyIR({ bootstrap: bootstrapIR({ configPath: '/cfg' }) })).bootstrap;
    for (const path of ['/cfg/listeners.json', '/cfg/clusters.json', '/cfg/SDS']) expect(text).toContain(`"${path}"`);
  });
});

describe('routes', () => {
  test('forward or answer', () => {
    const host = virtualHostIR(
      'h',
      ['*'],
      [routeIR('a', forward('c')), routeIR('b', { kind: 'direct-response', status: 502 })],
    );
    const [made] = rendered(proxyIR({ outbound: half({ routes: [routesIR('r', host)] }) })).routes;
    expect(made?.json).toMatchObject({
      virtual_hosts: [{ routes: [{ route: { cluster: 'c', timeout: '0s' } }, { direct_response: { status: 502 } }] }],
      validate_clusters: false,
      ignore_port_in_host_matching: true,
    });
  });
});
