import { describe, expect, test } from 'vitest';
import { edited, inbound, inboundChain, inboundHttp, verified } from '../../testing/edited-sample.ts';
import type { EnvoyConfig } from '../render/resource.ts';

describe('template-lost-rule of filters of a chain', () => {
  test.each<[string, EnvoyConfig]>([
    [
      'another terminal filter',
      inboundChain((chain) => {
        chain.filters[0].typed_config = {
          '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
          stat_prefix: 'x',
          cluster: 'InboundPassthroughCluster',
        };
      }),
    ],
    [
      'another cluster',
      inbound((json) => {
        json.filter_chains[0].filters[0].typed_config.cluster = 'InboundPassthroughCluster';
      }),
    ],
    [
      'other routes',
      inboundHttp((config) => {
        config.rds.route_config_name = 'api.b.svc.cluster.local:8000';
      }),
    ],
    [
      'a forged client certificate header',
      inboundHttp((config) => {
        config.forward_client_cert_details = 'APPEND_FORWARD';
      }),
    ],
    [
      'no client certificate header',
      inboundHttp((config) => {
        delete config.set_current_client_cert_details;
      }),
    ],
    [
      'unnormalized paths',
      inboundHttp((config) => {
        config.normalize_path = false;
      }),
    ],
    [
      'unmerged slashes',
      inboundHttp((config) => {
        delete config.merge_slashes;
      }),
    ],
    [
      'kept escaped slashes',
      inboundHttp((config) => {
        delete config.path_with_escaped_slashes_action;
      }),
    ],
    [
      'proxies in front that are believed',
      inboundHttp((config) => {
        config.xff_num_trusted_hops = 1;
      }),
    ],
    [
      'trust in X-Forwarded-For',
      inboundHttp((config) => {
        config.use_remote_address = true;
      }),
    ],
    [
      'another host for requests without one',
      inboundHttp((config) => {
        config.http_protocol_options.default_host_for_http_10 = 'admin.example.com';
      }),
    ],
    [
      'one bad request for all',
      inboundHttp((config) => {
        delete config.http2_protocol_options;
      }),
    ],
    [
      'no ALPN override',
      edited('listener', '0.0.0.0_8000', (json) => {
        json.filter_chains[0].filters[0].typed_config.http_filters.shift();
      }),
    ],
  ])('names %s', (_, config) => {
    expect(verified(config)).toContainEqual(expect.stringMatching(/^template-lost-rule: /));
  });

  test('leaves a filter before the terminal one to the template', () => {
    const config = inboundHttp((http) => {
      http.http_filters.unshift({
        name: 'envoy.filters.http.cors',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors' },
      });
    });
    expect(verified(config)).toEqual([]);
  });
});
