import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import {
  bootstrapIR,
  byDefault,
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
} from '../../testing/ir.ts';
import { clusterIR, endpointIR, externalTls, upstreamTls } from '../../testing/ir-clusters.ts';
import { sampleProxy } from '../../testing/sample-proxy.ts';
import type { ClusterIR } from '../ir/cluster.ts';
import type { ListenerIR } from '../ir/listener.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import { createRenderer } from './render.ts';
import type { EnvoyConfig, Resource } from './resource.ts';

function rendered(proxy: ProxyIR, renderer = createRenderer()): EnvoyConfig {
  const bag = new DiagnosticBag();
  const config = renderer.render(proxy, bag);
  expect(bag.all).toEqual([]);
  return config as EnvoyConfig;
}

function half(parts: Partial<ProxyIR['inbound']>): ProxyIR['inbound'] {
  return { listeners: [], routes: [], clusters: [], ...parts };
}

const listener = (ir: ListenerIR, proxy: Partial<ProxyIR> = {}): Resource =>
  rendered(proxyIR({ inbound: half({ listeners: [ir] }), ...proxy })).listeners[0] as Resource;

const cluster = (ir: Partial<ClusterIR>, ...endpoints: Parameters<typeof endpointIR>[]): Resource['json'] => {
  const made = clusterIR('c', ir, ...endpoints.map((endpoint) => endpointIR(...endpoint)));
  return rendered(proxyIR({ outbound: half({ clusters: [made] }) })).clusters[0]?.json ?? {};
};

const policy = origin('PeerAuthentication', 'a', 'strict', 'spec.mtls.mode');

describe('createRenderer', () => {
  test('writes canonical text: keys in the order of the template, two spaces, the same on every run', () => {
    const first = rendered(sampleProxy());
    const again = rendered(sampleProxy());
    for (const [i, { text, json, key }] of first.clusters.entries()) {
      expect(text).toBe(JSON.stringify(json, null, 2));
      expect(again.clusters[i]).toMatchObject({ text, key });
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

  test('changes the key with the content and with who decided it', () => {
    const keys = [byDefault, decidedBy(policy), decidedBy(origin('PeerAuthentication', 'b', 'strict'))].map(
      (origins) => listener(listenerIR('l', 1, { origins })).key,
    );
    keys.push(listener(listenerIR('l', 2)).key);
    expect(new Set(keys).size).toBe(4);
  });
});

describe('origins', () => {
  test('stand at the object that the policy decided, and name what the resource depends on', () => {
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
    expect(made.reads).toEqual([
      { kind: 'PeerAuthentication', namespace: 'a', name: 'strict' },
      { kind: 'PeerAuthentication', namespace: 'mesh-system', name: 'default' },
    ]);
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

describe('clusters', () => {
  test('choose between mesh TLS and plaintext for each endpoint', () => {
    const json = cluster(
      { transport: { kind: 'automatic', tls: upstreamTls(), origins: byDefault } },
      ['10.0.0.1', 80, { hasSidecar: true }],
      ['10.0.0.2', 80],
    );
    expect(json).toMatchObject({
      transport_socket_matches: [{ match: { tlsMode: 'mesh' } }, { name: 'tlsMode-disabled', match: {} }],
      load_assignment: {
        endpoints: [
          {
            lb_endpoints: [
              { metadata: { filter_metadata: { 'envoy.transport_socket_match': { tlsMode: 'mesh' } } } },
              expect.not.objectContaining({ metadata: expect.anything() }),
            ],
          },
        ],
      },
    });
  });

  test('do not wait for DNS when they start', () => {
    const json = cluster({ type: 'logical-dns', dns: { refreshRateMs: 1500, families: 'v6' } }, ['h', 80]);
    expect(json).toMatchObject({
      cluster_type: {
        typed_config: {
          dns_refresh_rate: '1.500s',
          dns_lookup_family: 'V6_ONLY',
          all_addresses_in_single_endpoint: true,
        },
      },
      wait_for_warm_on_init: false,
    });
  });

  test('tell kinds of alternative names apart', () => {
    const tls = externalTls({ serverSans: ['a.example', 'spiffe://x/y', '10.0.0.1', 'fd00::1'] });
    const text = JSON.stringify(cluster({ transport: { kind: 'tls', tls, origins: byDefault } }));
    expect([...text.matchAll(/"san_type":"(\w+)"/g)].map(([, type]) => type)).toEqual([
      'DNS',
      'URI',
      'IP_ADDRESS',
      'IP_ADDRESS',
    ]);
  });

  test('keep a panic threshold of 0, and switch off what an outlier threshold of 0 counts', () => {
    const outliers = {
      consecutive5xx: 0,
      consecutiveGatewayFailure: undefined,
      consecutiveLocalOriginFailure: undefined,
      splitExternalLocalOriginErrors: false,
      intervalMs: undefined,
      baseEjectionTimeMs: undefined,
      maxEjectionPercent: undefined,
    };
    expect(cluster({ healthyPanicPercent: 0, outlierDetection: outliers })).toMatchObject({
      common_lb_config: { healthy_panic_threshold: { value: 0 } },
      outlier_detection: { enforcing_consecutive_5xx: 0, enforcing_success_rate: 0 },
    });
  });

  test.each([
    ['none', undefined],
    ['http1', undefined],
    [
      'http2',
      { explicit_http_config: { http2_protocol_options: { override_stream_error_on_invalid_http_message: true } } },
    ],
    ['downstream', { use_downstream_protocol_config: { http_protocol_options: {}, http2_protocol_options: {} } }],
  ] as const)('speak %s', (protocol, expected) => {
    const { typed_extension_protocol_options: options } = cluster({ http: { ...clusterIR('').http, protocol } });
    const found = (options as Record<string, object> | undefined)?.[
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions'
    ];
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });
});

describe('listeners', () => {
  test.each([
    ['NONE', false, false, 'KEEP_UNCHANGED'],
    ['BASE', true, false, 'KEEP_UNCHANGED'],
    ['MERGE_SLASHES', true, true, 'KEEP_UNCHANGED'],
    ['DECODE_AND_MERGE_SLASHES', true, true, 'UNESCAPE_AND_FORWARD'],
  ] as const)('normalize paths at level %s', (pathNormalization, normalize, merge, action) => {
    const chain = chainIR('c', httpIR('r', { pathNormalization }));
    expect(listener(listenerIR('l', 1, { filterChains: [chain] })).json).toMatchObject({
      filter_chains: [
        {
          filters: [
            {
              typed_config: {
                normalize_path: normalize,
                merge_slashes: merge,
                path_with_escaped_slashes_action: action,
              },
            },
          ],
        },
      ],
    });
  });

  test('limit the time for request headers inbound only', () => {
    const config = (direction: 'inbound' | 'outbound'): string =>
      listener(listenerIR('l', 1, { filterChains: [chainIR('c', httpIR('r', { direction }))] })).text;
    expect(config('inbound')).toContain('"request_headers_timeout"');
    expect(config('outbound')).not.toContain('"request_headers_timeout"');
  });

  test('escape percent signs in what is a format string', () => {
    const chain = chainIR('c', httpIR('r', { alpnOverride: { alpn: ['a%b', 'c'] } }));
    expect(listener(listenerIR('l', 1, { filterChains: [chain] })).text).toContain('"inline_string": "a%%b,c"');
  });

  test('log connections on request', () => {
    expect(listener(listenerIR('l', 1)).text).toContain('%FILTER_CHAIN_NAME%');
    expect(listener(listenerIR('l', 1, { accessLog: false })).json).not.toHaveProperty('access_log');
  });

  test('match single addresses as blocks of one', () => {
    const match = matchIR({ destinationPrefixes: ['10.0.0.0/8', '10.0.0.1', 'fd00::1'] });
    const json = listener(listenerIR('l', 1, { filterChains: [chainIR('c', tcpIR('x'), { match })] })).json;
    expect(json).toMatchObject({
      filter_chains: [
        { filter_chain_match: { prefix_ranges: [{ prefix_len: 8 }, { prefix_len: 32 }, { prefix_len: 128 }] } },
      ],
    });
  });
});

describe('bootstrap', () => {
  test('keeps the figures that tell what is in force, whatever the settings add', () => {
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
