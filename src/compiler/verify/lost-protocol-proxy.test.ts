import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Json } from '../../testing/edited-sample.ts';
import { chainIR, listenerIR, proxyIR, redisIR, thriftIR } from '../../testing/ir.ts';
import { clusterIR } from '../../testing/ir-clusters.ts';
import { createRenderer } from '../render/render.ts';
import type { EnvoyConfig } from '../render/resource.ts';
import { withResources } from '../render/testing/with-resources.ts';
import { verify } from './verify.ts';

const weightedClusters = [
  { cluster: 'a', weight: 9 },
  { cluster: 'b', weight: 1 },
];
const chains = {
  redis: redisIR('a'),
  thrift: thriftIR('a'),
  weighted: thriftIR('a', { weightedClusters }),
};
const listeners = Object.entries(chains).map(([name, filter], i) =>
  listenerIR(name, i + 1, { filterChains: [chainIR(name, filter)] }),
);
const clusters = [clusterIR('a'), clusterIR('b')];
const proxy = proxyIR({
  inbound: { listeners, routes: [], clusters: [] },
  outbound: { listeners: [], routes: [], clusters },
});
const config = createRenderer().render(proxy, new DiagnosticBag()) as EnvoyConfig;

/** What is said of the configuration when a template writes the filter of one chain otherwise. */
function complaints(chain: keyof typeof chains, edit: (filter: Json) => void): string[] {
  const broken = config.listeners.map((listener) => {
    if (listener.name !== chain) return listener;
    const json: Json = structuredClone(listener.json);
    edit(json.filter_chains[0].filters[0].typed_config);
    return { ...listener, json };
  });
  const bag = new DiagnosticBag();
  verify(proxy, withResources(config, { listeners: broken }), bag);
  return bag.all.map(({ code }) => code);
}

const route = (filter: Json): Json => filter.route_config.routes[0];

describe('verify of Redis and Thrift proxies', () => {
  test.each(Object.keys(chains) as (keyof typeof chains)[])('finds nothing in a sound one: %s', (chain) => {
    expect(complaints(chain, () => undefined)).toEqual([]);
  });

  test.each<[string, keyof typeof chains, (filter: Json) => void]>([
    ['a command that is no longer refused', 'redis', (it) => delete it.faults],
    ['a refusal now and then', 'redis', (it) => (it.faults[0].fault_enabled.default_value.numerator = 99)],
    ['a refusal that runtime switches off', 'redis', (it) => (it.faults[0].fault_enabled.runtime_key = 'x')],
    ['a delay for a refusal', 'redis', (it) => (it.faults[0].fault_type = 'DELAY')],
    ['another cluster of all keys', 'redis', (it) => (it.prefix_routes.catch_all_route.cluster = 'b')],
    ['a route for some keys', 'redis', (it) => (it.prefix_routes.routes = [{ prefix: 'x', cluster: 'b' }])],
    [
      'mirrored commands',
      'redis',
      (it) => (it.prefix_routes.catch_all_route.request_mirror_policy = [{ cluster: 'b' }]),
    ],
    [
      'another cluster of reads',
      'redis',
      (it) => (it.prefix_routes.catch_all_route.read_command_policy = { cluster: 'b' }),
    ],
    ['redirection to where a server says', 'redis', (it) => (it.settings.enable_redirection = true)],
    ['another cluster of all methods', 'thrift', (it) => (route(it).route.cluster = 'b')],
    ['a match of some methods', 'thrift', (it) => (route(it).match.method_name = 'x')],
    ['a match of headers', 'thrift', (it) => (route(it).match.headers = [{ name: 'x', present_match: true }])],
    ['another route', 'thrift', (it) => it.route_config.routes.push(route(it))],
    ['no route', 'thrift', (it) => (it.route_config.routes = [])],
    ['mirrored calls', 'thrift', (it) => (route(it).route.request_mirror_policies = [{ cluster: 'b' }])],
    ['another weight', 'weighted', (it) => (route(it).route.weighted_clusters.clusters[0].weight = 8)],
    ['one share less', 'weighted', (it) => route(it).route.weighted_clusters.clusters.pop()],
  ])('finds %s', (_what, chain, edit) => {
    expect(complaints(chain, edit)).toContain('template-lost-rule');
  });

  test.each<[keyof typeof chains, (filter: Json) => void]>([
    ['redis', (it) => (it.prefix_routes.catch_all_route.cluster = 'gone')],
    ['thrift', (it) => (route(it).route.cluster = 'gone')],
    ['weighted', (it) => (route(it).route.weighted_clusters.clusters[1].name = 'gone')],
  ])('finds a cluster of %s that is not there', (chain, edit) => {
    expect(complaints(chain, edit)).toContain('output-unknown-cluster');
  });
});
