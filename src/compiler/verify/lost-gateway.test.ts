import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { canonicalMessage } from '../../envoy/api/canonical.ts';
import type { Json } from '../../testing/edited-sample.ts';
import { byDefault, chainIR, httpIR, listenerIR, matchIR, proxyIR, tcpIR } from '../../testing/ir.ts';
import { clusterIR } from '../../testing/ir-clusters.ts';
import type { FilterChainIR } from '../ir/listener.ts';
import type { DownstreamGatewayTls } from '../ir/tls.ts';
import { createRenderer } from '../render/render.ts';
import { type EnvoyConfig, messageTypes } from '../render/resource.ts';
import { withResources } from '../render/testing/with-resources.ts';
import { verify } from './verify.ts';

const tls: DownstreamGatewayTls = {
  kind: 'gateway',
  alpn: ['h2', 'http/1.1'],
  certificate: { name: 'kubernetes://shop', of: 'gateway', fetchTimeoutMs: 2_000 },
  requiresClientCertificate: true,
  validation: {
    trustedCa: { name: 'kubernetes://shop-cacert', of: 'gateway', fetchTimeoutMs: 2_000 },
    sans: [{ type: 'DNS', kind: 'exact', value: 'friend.example.com' }],
    spkiPins: [`${'A'.repeat(43)}=`],
    hashPins: ['ab'.repeat(32)],
    crl: '/crl.pem',
  },
  minVersion: 'TLSv1_2',
  maxVersion: 'TLSv1_3',
  cipherSuites: ['ECDHE-RSA-AES128-GCM-SHA256'],
  origins: byDefault,
};

const edge = {
  requestHeadersTimeoutMs: 10_000,
  requestTimeoutMs: 0,
  streamIdleTimeoutMs: 0,
  idleTimeoutMs: 0,
  maxHeaders: 100,
  maxConcurrentStreams: 100,
};

const http = chainIR('secure', httpIR('table', { edge, useRemoteAddress: true, routeFilters: ['grpc-web'] }), {
  match: matchIR({ serverNames: ['a.example.com'], transportProtocol: 'tls', sourcePrefixes: ['10.0.0.0/8'] }),
  tls,
});
const fromFiles: DownstreamGatewayTls = {
  ...tls,
  certificate: { chain: '/cert.pem', key: '/key.pem' },
  validation: { trustedCa: { file: '/ca.pem' }, sans: [], spkiPins: [], hashPins: [], crl: undefined },
};
const simple: DownstreamGatewayTls = { ...tls, requiresClientCertificate: false, validation: undefined };
const shared = [
  { cluster: 'one', weight: 90 },
  { cluster: 'two', weight: 10 },
];

function proxyOf(chain: FilterChainIR) {
  const listeners = [listenerIR('edge', 443, { filterChains: [chain], listenerFilters: inspected })];
  const clusters = ['one', 'two', 'BlackHoleCluster'].map((name) => clusterIR(name));
  const routes = [{ name: 'table', virtualHosts: [], requestHeadersToRemove: ['x-original-url'] }];
  return proxyIR({ inbound: { listeners, routes, clusters }, outbound: { listeners: [], routes: [], clusters: [] } });
}

const inspected = {
  originalDst: false,
  originalSrcMark: undefined,
  tlsInspector: { disabledPorts: [] },
  httpInspector: undefined,
  timeoutMs: 1_000,
  continueOnTimeout: false,
};

/** What `verify` says when one resource of a gateway is not as the rules ask for. */
function verdictOf(
  chain: FilterChainIR,
  edit: (json: Json) => void,
  type: 'listener' | 'route' = 'listener',
): string[] {
  const proxy = proxyOf(chain);
  const config = createRenderer().render(proxy, new DiagnosticBag()) as EnvoyConfig;
  const change = (resource: EnvoyConfig['listeners'][number]) => {
    const json = structuredClone(resource.json);
    if (resource.type === type) edit(json);
    return { ...resource, json: canonicalMessage(messageTypes[resource.type], json).json };
  };
  const bag = new DiagnosticBag();
  const changed = { listeners: config.listeners.map(change), routes: config.routes.map(change) };
  verify(proxy, withResources(config, changed), bag);
  return bag.all.map(({ code }) => code);
}

const contextOf = (json: Json): Json => json.filter_chains[0].transport_socket.typed_config;
const commonOf = (json: Json): Json => contextOf(json).common_tls_context;
const defaultsOf = (json: Json): Json => commonOf(json).combined_validation_context.default_validation_context;
const filtersOf = (json: Json): Json => json.filter_chains[0].filters;

describe('a gateway’s listener', () => {
  test.each([
    ['a secret', http],
    ['files', { ...http, tls: fromFiles }],
    ['no client certificate', { ...http, tls: simple }],
    ['one cluster', chainIR('bytes', tcpIR('one'), { match: matchIR(), tls: undefined })],
    ['shares', chainIR('bytes', tcpIR('one', { weightedClusters: shared }), { match: matchIR(), tls: undefined })],
    ['the SNI', chainIR('bytes', tcpIR('one', { clusterOfServerName: true }), { match: matchIR(), tls: undefined })],
  ] as const)('is taken as it is rendered, with %s', (_, chain) => {
    expect(verdictOf(chain, () => {})).toEqual([]);
  });

  test.each<[string, (json: Json) => void]>([
    ['no TLS', (json) => delete json.filter_chains[0].transport_socket],
    ['no client certificate', (json) => (contextOf(json).require_client_certificate = false)],
    ['sessions resumed by ticket', (json) => delete contextOf(json).disable_stateless_session_resumption],
    ['sessions resumed by number', (json) => delete contextOf(json).disable_stateful_session_resumption],
    ['another certificate', (json) => (commonOf(json).tls_certificate_sds_secret_configs[0].name = 'default')],
    [
      'a certificate waited for without an end',
      (json) => (commonOf(json).tls_certificate_sds_secret_configs[0].sds_config.initial_fetch_timeout = '0s'),
    ],
    [
      'other authorities',
      (json) => (commonOf(json).combined_validation_context.validation_context_sds_secret_config.name = 'ROOTCA'),
    ],
    ['no authorities', (json) => delete commonOf(json).combined_validation_context],
    ['no names', (json) => delete defaultsOf(json).match_typed_subject_alt_names],
    ['names of another kind', (json) => (defaultsOf(json).match_typed_subject_alt_names[0].san_type = 'URI')],
    ['wider names', (json) => (defaultsOf(json).match_typed_subject_alt_names[0].matcher = { suffix: 'example.com' })],
    ['no key pins', (json) => delete defaultsOf(json).verify_certificate_spki],
    ['one more certificate pin', (json) => defaultsOf(json).verify_certificate_hash.push('cd'.repeat(32))],
    ['no revocation list', (json) => delete defaultsOf(json).crl],
    ['expired certificates', (json) => (defaultsOf(json).allow_expired_certificate = true)],
    ['older TLS', (json) => (commonOf(json).tls_params.tls_minimum_protocol_version = 'TLSv1_0')],
    ['another cipher', (json) => commonOf(json).tls_params.cipher_suites.push('AES128-SHA')],
    ['other protocols', (json) => (commonOf(json).alpn_protocols = ['http/1.1'])],
    ['any server name', (json) => delete json.filter_chains[0].filter_chain_match.server_names],
    ['any client', (json) => delete json.filter_chains[0].filter_chain_match.source_prefix_ranges],
    ['ports in hosts', (json) => delete filtersOf(json)[0].typed_config.strip_any_host_port],
    [
      'no gRPC-Web',
      (json) => {
        filtersOf(json)[0].typed_config.http_filters = filtersOf(json)[0].typed_config.http_filters.slice(-1);
      },
    ],
    ['trust in X-Forwarded-For', (json) => (filtersOf(json)[0].typed_config.use_remote_address = false)],
  ])('is refused with %s', (_, edit) => {
    expect(verdictOf(http, edit)).toContain('template-lost-rule');
  });

  test.each<[string, DownstreamGatewayTls, (json: Json) => void]>([
    ['another key file', fromFiles, (json) => (commonOf(json).tls_certificates[0].private_key.filename = '/x')],
    [
      'another file of authorities',
      fromFiles,
      (json) => (commonOf(json).validation_context.trusted_ca.filename = '/x'),
    ],
    ['no file of authorities', fromFiles, (json) => delete commonOf(json).validation_context],
    [
      'authorities that nobody asked for',
      simple,
      (json) => (commonOf(json).validation_context = { trusted_ca: { filename: '/ca.pem' } }),
    ],
  ])('is refused with %s', (_, own, edit) => {
    expect(verdictOf({ ...http, tls: own }, edit)).toContain('template-lost-rule');
  });

  test.each<[string, Parameters<typeof tcpIR>[1], (json: Json) => void]>([
    [
      'other shares',
      { weightedClusters: shared },
      (json) => (filtersOf(json)[0].typed_config.weighted_clusters.clusters[0].weight = 1),
    ],
    [
      'one cluster instead of shares',
      { weightedClusters: shared },
      (json) => {
        delete filtersOf(json)[0].typed_config.weighted_clusters;
        filtersOf(json)[0].typed_config.cluster = 'one';
      },
    ],
    ['no cluster of the SNI', { clusterOfServerName: true }, (json) => filtersOf(json).shift()],
    [
      'a cluster of the SNI that nobody asked for',
      {},
      (json) => {
        const type = 'type.googleapis.com/envoy.extensions.filters.network.sni_cluster.v3.SniCluster';
        filtersOf(json).unshift({ name: 'envoy.filters.network.sni_cluster', typed_config: { '@type': type } });
      },
    ],
    [
      'a cluster of the SNI that nobody asked for, in a TypedStruct',
      {},
      (json) => {
        const type_url = 'type.googleapis.com/envoy.extensions.filters.network.sni_cluster.v3.SniCluster';
        const typed_config = { '@type': 'type.googleapis.com/xds.type.v3.TypedStruct', type_url, value: {} };
        filtersOf(json).unshift({ name: 'envoy.filters.network.sni_cluster', typed_config });
      },
    ],
  ])('is refused with %s', (_, tcp, edit) => {
    const chain = chainIR('bytes', tcpIR('one', tcp), { match: matchIR(), tls: undefined });
    expect(verdictOf(chain, edit)).toContain('template-lost-rule');
  });
});

describe('a gateway’s route table', () => {
  test('is refused when it passes on what clients forge', () => {
    expect(verdictOf(http, (json) => delete json.request_headers_to_remove, 'route')).toContain('template-lost-rule');
  });
});
