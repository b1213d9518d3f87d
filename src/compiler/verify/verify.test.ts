import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import {
  edited,
  inbound,
  inboundHttp,
  inboundTls,
  proxy,
  routes,
  sample,
  verified,
} from '../../testing/edited-sample.ts';
import { bootstrapIR, chainIR, listenerIR, matchIR, proxyIR, tcpIR } from '../../testing/ir.ts';
import { clusterIR } from '../../testing/ir-clusters.ts';
import { createRenderer } from '../render/render.ts';
import type { EnvoyConfig, Resource } from '../render/resource.ts';
import { withResources } from '../render/testing/with-resources.ts';
import { Verified, verify } from './verify.ts';

describe('verify', () => {
  test('finds nothing in what the built-in templates make', () => {
    expect(verified(sample)).toEqual([]);
  });

  test('reports what the API of Envoy refuses, at the policy that decided the fragment', () => {
    const bag = new DiagnosticBag();
    verify(
      proxy,
      inboundTls((context) => {
        context.require_client_certificate = 'yes';
      }),
      bag,
    );
    expect(bag.all).toMatchObject([{ code: 'output-invalid', span: { file: 'default.yaml', start: 40 } }]);
    expect(bag.all[0]?.message).toContain('filter_chains[1].transport_socket.typed_config.require_client_certificate');
  });

  test('takes resources in the set as read, and adds those without a fault', () => {
    const read = new Verified();
    verify(proxy, sample, new DiagnosticBag(), read);
    expect(sample.listeners.every((listener) => read.resources.has(listener))).toBe(true);
    const broken = inbound((json) => {
      json.filter_chains.pop();
    });
    read.resources.add(broken.listeners.find(({ name }) => name === 'virtualInbound') as Resource);
    const bag = new DiagnosticBag();
    verify(proxy, broken, bag, read);
    expect(bag.all).toEqual([]);
  });

  test.each<[string, string, EnvoyConfig]>([
    [
      'output-unknown-cluster',
      'tcp_proxy',
      inbound((json) => {
        json.filter_chains[0].filters[0].typed_config.cluster = 'nowhere';
      }),
    ],
    [
      'output-unknown-cluster',
      'route',
      routes((json) => {
        json.virtual_hosts[0].routes[0].route.cluster = 'nowhere';
      }),
    ],
    [
      'output-unknown-cluster',
      'weighted route',
      routes((json) => {
        const { route } = json.virtual_hosts[0].routes[0];
        delete route.cluster;
        route.weighted_clusters = { clusters: [{ name: 'nowhere', weight: 1 }] };
      }),
    ],
    [
      'output-unknown-cluster',
      'SDS',
      edited('bootstrap', 'bootstrap', (json) => {
        json.static_resources.clusters.pop();
      }),
    ],
    ['output-unknown-route', 'rds', withResources(sample, { routes: sample.routes.slice(0, 1) })],
    [
      'output-unknown-secret',
      'certificate',
      inboundTls((context) => {
        context.common_tls_context.tls_certificate_sds_secret_configs[0].name = 'other';
      }),
    ],
    [
      'output-duplicate-name',
      'clusters',
      withResources(sample, { clusters: [...sample.clusters, ...sample.clusters.slice(0, 1)] }),
    ],
    [
      'output-duplicate-name',
      'a cluster of the bootstrap',
      edited('cluster', 'BlackHoleCluster', (json) => {
        json.name = 'agent';
      }),
    ],
    [
      'output-duplicate-name',
      'filter chains',
      inbound((json) => {
        json.filter_chains[1].name = json.filter_chains[2].name;
      }),
    ],
    [
      'output-duplicate-name',
      'virtual hosts',
      routes((json) => {
        json.virtual_hosts[1].name = json.virtual_hosts[0].name;
      }),
    ],
    [
      'output-duplicate-domain',
      'in another case',
      routes((json) => {
        json.virtual_hosts[1].domains.push('API.B');
      }),
    ],
    [
      'output-duplicate-match',
      'one shared combination',
      inbound((json) => {
        json.filter_chains.push({
          ...json.filter_chains[2],
          name: 'again',
          filter_chain_match: { transport_protocol: 'tls', application_protocols: ['other', 'mesh'] },
        });
      }),
    ],
    [
      'output-router-not-last',
      'no router',
      inboundHttp((config) => {
        config.http_filters = [];
      }),
    ],
    [
      'output-http-matcher-on-tcp',
      'url_path',
      inbound((json) => {
        json.filter_chains[0].filters.unshift(networkRbac({ url_path: { path: { exact: '/admin' } } }));
      }),
    ],
    [
      'output-http-matcher-on-tcp',
      'token metadata under a negation',
      inbound((json) => {
        const metadata = {
          filter: 'envoy.filters.http.jwt_authn',
          path: [{ key: 'iss' }],
          value: { present_match: true },
        };
        json.filter_chains[0].filters.unshift(networkRbac({ not_rule: { metadata } }));
      }),
    ],
  ])('reports %s: %s', (code, _, config) => {
    expect(verified(config).map((line) => line.split(':')[0])).toContain(code);
  });

  test('reports every resource whose name an earlier one has', () => {
    const [first, ...rest] = sample.clusters;
    const three = [first, first, first].map((cluster) => ({ ...cluster, name: cluster?.name ?? '' }) as Resource);
    const told = verified(withResources(sample, { clusters: [...three, ...rest] }));
    expect(told.filter((line) => line.startsWith('output-duplicate-name'))).toHaveLength(2);
  });

  test('accepts a network RBAC that looks at the connection only', () => {
    const config = inbound((json) => {
      json.filter_chains[0].filters.unshift(networkRbac({ destination_port: 80 }));
    });
    expect(verified(config)).toEqual([]);
  });

  test('compares with the half of the proxy that the resource came from', () => {
    const half = (name: string) => ({
      listeners: [listenerIR(name, 15006, { filterChains: [chainIR('a', tcpIR('c'), { match: matchIR({}) })] })],
      routes: [],
      clusters: name === 'in' ? [clusterIR('c')] : [],
    });
    const two = proxyIR({ bootstrap: bootstrapIR({ configPath: '/x' }), inbound: half('in'), outbound: half('out') });
    expect(verified(createRenderer().render(two, new DiagnosticBag()) as EnvoyConfig, two)).toEqual([]);
  });
});

function networkRbac(permission: object): object {
  return {
    name: 'envoy.filters.network.rbac',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC',
      stat_prefix: 'x',
      rules: { policies: { p: { permissions: [permission], principals: [{ any: true }] } } },
    },
  };
}
