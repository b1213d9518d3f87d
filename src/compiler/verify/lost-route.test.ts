import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { type Json, verified } from '../../testing/edited-sample.ts';
import { forward, proxyIR, routeIR, routesIR, virtualHostIR } from '../../testing/ir.ts';
import { clusterIR } from '../../testing/ir-clusters.ts';
import type { RouteIR } from '../ir/route.ts';
import { createRenderer } from '../render/render.ts';
import type { EnvoyConfig } from '../render/resource.ts';
import { withResources } from '../render/testing/with-resources.ts';

const requestHeaders = { add: [{ name: 'x-a', value: 'a', overwrites: true }], remove: ['x-b'] };

/** Every part of a route that decides who gets a request, and as what. */
const routes: readonly RouteIR[] = [
  {
    ...routeIR('one', {
      ...forward('a', { mirrors: [{ cluster: 'b', percent: 10 }], authority: 'a.example' }),
      rewrite: { kind: 'regex', pattern: '^/p(.*)$', substitution: '/q\\1' },
    }),
    match: {
      path: { kind: 'prefix', value: '/p', ignoreCase: true },
      headers: [
        { name: 'x-user', match: { kind: 'exact', value: 'jason', ignoreCase: true } },
        { name: 'x-any', match: 'present' },
      ],
      withoutHeaders: [
        { name: 'x-stage', match: { kind: 'prefix', value: 'test' } },
        { name: 'x-not', match: 'present' },
      ],
      queryParameters: [{ name: 'page', match: { kind: 'regex', value: '[0-9]+' } }],
    },
    requestHeaders,
    responseHeaders: requestHeaders,
    fault: { delay: undefined, abort: { status: { http: 418 }, percent: 1 } },
    cors: {
      allowOrigins: [{ kind: 'exact', value: 'https://a.example' }],
      allowMethods: [],
      allowHeaders: [],
      exposeHeaders: [],
      maxAgeSeconds: undefined,
      allowCredentials: false,
      forwardsUnmatchedPreflights: false,
    },
  },
  {
    ...routeIR('two', {
      kind: 'weighted-clusters',
      clusters: [
        { cluster: 'a', weight: 1, authority: 'x' },
        { cluster: 'b', weight: 2 },
      ],
      timeoutMs: 0,
      retry: undefined,
      hashPolicies: [],
      rewrite: { kind: 'whole', path: '/new' },
    }),
    match: { path: { kind: 'regex', value: '/[a-z]+' } },
  },
  {
    ...routeIR('three', { kind: 'redirect', status: 308, scheme: 'https', host: 'x', port: 1, path: '/x' }),
    match: { path: { kind: 'exact', value: '/x' } },
  },
  routeIR('four', { kind: 'direct-response', status: 403 }),
];

const nothing = { listeners: [], routes: [], clusters: [] };
const proxy = proxyIR({
  inbound: nothing,
  outbound: {
    listeners: [],
    clusters: [clusterIR('a'), clusterIR('b')],
    routes: [routesIR('80', virtualHostIR('x', ['x'], routes))],
  },
});
const config = createRenderer().render(proxy, new DiagnosticBag()) as EnvoyConfig;

function edited(edit: (routes: Json) => void): EnvoyConfig {
  const change = (resource: EnvoyConfig['routes'][number]) => {
    const json = structuredClone(resource.json) as Json;
    edit(json.virtual_hosts[0].routes);
    return { ...resource, json };
  };
  return withResources(config, { routes: config.routes.map(change) });
}

/** What a template may say otherwise, or leave to Envoy. */
const free =
  /name$|timeout|append_action|trace_sampled|runtime_fraction|shadow_host|percentage|forward_not_matching|filter_enabled|allow_origin|fault\.(abort|@type)|cors\.@type/;

/** Paths of all members below the routes. */
function membersOf(value: Json, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [...(Array.isArray(value) ? [] : [here]), ...membersOf(value[key], here)];
  });
}

const rendered = config.routes[0]?.json as Json;
const members = membersOf(rendered.virtual_hosts[0].routes).filter((path) => !free.test(path.join('.')));

describe('a route', () => {
  test('as rendered is what the rules ask for', () => {
    expect(verified(config, proxy)).toEqual([]);
    expect(members.length).toBeGreaterThan(50);
  });

  test.each(members.map((path) => [path.join('.'), path] as const))('without %s is another', (_, path) => {
    const broken = edited((json) => {
      const holder = path.slice(0, -1).reduce((value, key) => value[key], json);
      delete holder[path.at(-1) ?? ''];
    });
    expect(verified(broken, proxy)).not.toEqual([]);
  });

  test.each<[string, (routes: Json) => void]>([
    ['with a condition more', ([one]) => one.match.headers.push({ name: 'x', present_match: true })],
    ['with a condition of another kind', ([one]) => Object.assign(one.match, { grpc: {} })],
    ['with a parameter more', ([one]) => one.match.query_parameters.push({ name: 'x', present_match: true })],
    ['that takes the cluster from a header', ([one]) => Object.assign(one.route, { cluster_header: 'x' })],
    ['with a mirror more', ([one]) => one.route.request_mirror_policies.push({ cluster: 'a' })],
    ['with another weight', ([, two]) => Object.assign(two.route.weighted_clusters.clusters[0], { weight: 9 })],
    ['with another redirect', ([, , three]) => Object.assign(three.redirect, { port_redirect: 80 })],
    ['with another status', ([, , , four]) => Object.assign(four.direct_response, { status: 200 })],
    [
      'that switches access rules off',
      ([, , , four]) => {
        const config = { '@type': 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute' };
        four.typed_per_filter_config = { 'envoy.filters.http.rbac': config };
      },
    ],
    [
      'that switches access rules off for one of its clusters',
      ([, two]) => {
        const config = { '@type': 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute' };
        two.route.weighted_clusters.clusters[0].typed_per_filter_config = { 'envoy.filters.http.rbac': config };
      },
    ],
    [
      'that disables a filter',
      ([, , , four]) => {
        const config = { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true };
        four.typed_per_filter_config = { anything: config };
      },
    ],
  ])('%s is another', (_, edit) => {
    expect(verified(edited(edit), proxy)).not.toEqual([]);
  });
});
