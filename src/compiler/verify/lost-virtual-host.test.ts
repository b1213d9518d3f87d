import { describe, expect, test } from 'vitest';
import { routes, verified } from '../../testing/edited-sample.ts';
import type { EnvoyConfig } from '../render/resource.ts';

const off = {
  'envoy.filters.http.rbac': { '@type': 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute' },
};

describe('template-lost-rule of virtual hosts', () => {
  test.each<[string, EnvoyConfig]>([
    [
      'a domain more',
      routes((json) => {
        json.virtual_hosts[0].domains.push('x');
      }),
    ],
    [
      'a host fewer',
      routes((json) => {
        json.virtual_hosts.pop();
      }),
    ],
    [
      'a host more',
      routes((json) => {
        json.virtual_hosts.push({ ...json.virtual_hosts[1], name: 'x', domains: ['x'] });
      }),
    ],
    [
      'a route more',
      routes((json) => {
        json.virtual_hosts[1].routes.unshift({ match: { prefix: '/' }, route: { cluster: 'PassthroughCluster' } });
      }),
    ],
    [
      'another route cluster',
      routes((json) => {
        json.virtual_hosts[0].routes[0].route.cluster = 'PassthroughCluster';
      }),
    ],
    [
      'a wider route match',
      routes((json) => {
        json.virtual_hosts[0].routes[0].match.prefix = '';
      }),
    ],
    [
      'another status',
      routes((json) => {
        json.virtual_hosts[1].routes[0].direct_response.status = 200;
      }),
    ],
    [
      'ports in host matching',
      routes((json) => {
        delete json.ignore_port_in_host_matching;
      }),
    ],
    [
      'access rules that a host switches off',
      routes((json) => {
        json.virtual_hosts[0].typed_per_filter_config = off;
      }),
    ],
    [
      'access rules that all hosts switch off',
      routes((json) => {
        json.typed_per_filter_config = off;
      }),
    ],
    [
      'a matcher in the place of the routes',
      routes((json) => {
        json.virtual_hosts[0].matcher = {};
      }),
    ],
    [
      'hosts that come from elsewhere',
      routes((json) => {
        json.vhds = { config_source: { ads: {}, resource_api_version: 'V3' } };
      }),
    ],
  ])('names %s', (_, config) => {
    expect(verified(config)).toContainEqual(expect.stringMatching(/^template-lost-rule: /));
  });
});
