import { describe, expect, test } from 'vitest';
import { canonicalMessage } from '../../envoy/api/canonical.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import { bootstrapIR } from '../../testing/ir.ts';
import { messageTypes } from '../render/resource.ts';
import type { Lose } from './expect.ts';
import { adminRouteLosses } from './lost-admin.ts';

const manager = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const at = (address: string, port_value: number | string) => ({ socket_address: { address, port_value } });

/** A listener at `address` with this filter, and a cluster `own` at `behind`. */
function losses(filter: object, address: object = at('0.0.0.0', 17000), behind: object = at('127.0.0.1', 15000)) {
  const found: string[] = [];
  const lose: Lose = (where, loss) => found.push(`${where.path.join('.')}: ${loss}`);
  const clusters = [
    { name: 'own', load_assignment: { endpoints: [{ lb_endpoints: [{ endpoint: { address: behind } }] }] } },
  ];
  const listeners = [
    { name: 'l', address, filter_chains: [{ filters: [{ typed_config: { '@type': manager, ...filter } }] }] },
  ];
  const admin = { address: at('127.0.0.1', 15000) };
  const { json } = canonicalMessage(messageTypes.bootstrap, { admin, static_resources: { clusters, listeners } });
  adminRouteLosses(new Fragment(json), bootstrapIR(), lose);
  return found;
}

const routes = (...list: readonly object[]) => ({ route_config: { virtual_hosts: [{ routes: list }] } });
const route = (match: object, action: object = { cluster: 'own' }) => routes({ match, route: action });

describe('adminRouteLosses', () => {
  test.each<[string, readonly string[]]>([
    ['an exact open path', losses(route({ path: '/stats/prometheus' }))],
    ['a listener on loopback', losses(route({ prefix: '/' }), at('127.0.0.1', 17000))],
    ['a listener on a socket', losses(route({ prefix: '/' }), { pipe: { path: '/x' } })],
    ['a cluster on another port', losses(route({ prefix: '/' }), undefined, at('127.0.0.1', 9000))],
    ['a cluster on another machine', losses(route({ prefix: '/' }), undefined, at('10.0.0.1', 15000))],
  ])('takes %s', (_, found) => {
    expect(found).toEqual([]);
  });

  test.each<[string, readonly string[]]>([
    ['all paths', losses(route({ prefix: '/' }))],
    ['a prefix of an open path', losses(route({ prefix: '/stats/prometheus' }))],
    ['another exact path', losses(route({ path: '/quitquitquit' }), undefined, at('127.0.0.1', 15020))],
    ['a regular expression', losses(route({ safe_regex: { regex: '/stats/prometheus.*' } }))],
    ['a name of loopback', losses(route({ prefix: '/' }), undefined, at('localhost', 15000))],
    ['a port in quotes', losses(route({ prefix: '/' }), undefined, at('127.0.0.1', '15000'))],
    ['the other family of loopback', losses(route({ prefix: '/' }), at('::', 1), at('::1', 15020))],
    ['bytes', losses({ stat_prefix: 'x', cluster: 'own' })],
    ['a share of the requests', losses(route({ prefix: '/' }, { weighted_clusters: { clusters: [{ name: 'own' }] } }))],
    ['a mirror', losses(route({ path: '/ready' }, { cluster: 'x', request_mirror_policies: [{ cluster: 'own' }] }))],
    [
      'camel case',
      losses({ routeConfig: { virtualHosts: [{ routes: [{ match: { prefix: '/' }, route: { cluster: 'own' } }] }] } }),
    ],
  ])('refuses %s', (_, found) => {
    expect(found).toEqual([expect.stringContaining('leads everybody to "own"')]);
  });
});
