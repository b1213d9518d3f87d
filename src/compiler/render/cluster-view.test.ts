import { describe, expect, test } from 'vitest';
import { byDefault } from '../../testing/ir.ts';
import { clusterIR, externalTls, upstreamTls } from '../../testing/ir-clusters.ts';
import { cluster } from './testing/rendered.ts';

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

  test('match URIs, DNS names and addresses as different types of alternative names', () => {
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

  test.each([false, true])('never eject by success rates, which no rule asks for (split: %j)', (isSplit) => {
    const outliers = {
      consecutive5xx: 5,
      consecutiveGatewayFailure: 5,
      consecutiveLocalOriginFailure: 5,
      splitExternalLocalOriginErrors: isSplit,
      intervalMs: 1000,
      baseEjectionTimeMs: 1000,
      maxEjectionPercent: 50,
    };
    const { outlier_detection: detection } = cluster({ outlierDetection: outliers }) as { outlier_detection: object };
    // Envoy's defaults of 100: of the first always, of the second where local failures are counted apart.
    const rates = { enforcing_success_rate: 0, ...(isSplit ? { enforcing_local_origin_success_rate: 0 } : {}) };
    expect(detection).toMatchObject(rates);
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
