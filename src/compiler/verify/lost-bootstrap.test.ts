import { describe, expect, test } from 'vitest';
import { edited, verified } from '../../testing/edited-sample.ts';
import type { EnvoyConfig } from '../render/resource.ts';

describe('template-lost-rule of the bootstrap', () => {
  test.each<[string, EnvoyConfig]>([
    [
      'no listeners at all',
      edited('bootstrap', 'bootstrap', (json) => {
        delete json.dynamic_resources.lds_config;
      }),
    ],
    [
      'an admin interface that the outside reaches',
      edited('bootstrap', 'bootstrap', (json) => {
        json.admin.address.socket_address.address = '0.0.0.0';
      }),
    ],
    [
      'an admin interface on every IPv6 address',
      edited('bootstrap', 'bootstrap', (json) => {
        json.admin.address.socket_address.address = '::';
      }),
    ],
    [
      'an admin interface at a name',
      edited('bootstrap', 'bootstrap', (json) => {
        json.admin.address.socket_address.address = '127.0.0.1.example.org';
      }),
    ],
  ])('names %s', (_, config) => {
    expect(verified(config)).toContainEqual(expect.stringMatching(/^template-lost-rule: /));
  });

  test.each([
    ['on IPv6 loopback', { socket_address: { address: '::1', port_value: 15000 } }],
    ['on another loopback address', { socket_address: { address: '127.0.0.9', port_value: 15000 } }],
    ['on a Unix socket', { pipe: { path: '/run/envoy-admin' } }],
  ])('leaves an admin interface %s to the template', (_, address) => {
    const config = edited('bootstrap', 'bootstrap', (json) => {
      json.admin.address = address;
    });
    expect(verified(config)).toEqual([]);
  });
});
