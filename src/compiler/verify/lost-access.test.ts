import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Json } from '../../testing/edited-sample.ts';
import {
  chainIR,
  forward,
  httpIR,
  listenerIR,
  proxyIR,
  routeIR,
  routesIR,
  tcpIR,
  virtualHostIR,
} from '../../testing/ir.ts';
import { clusterIR } from '../../testing/ir-clusters.ts';
import type { ExtAuthzIR } from '../ir/ext-authz.ts';
import type { RbacIR } from '../ir/rbac.ts';
import { createRenderer } from '../render/render.ts';
import type { EnvoyConfig } from '../render/resource.ts';
import { withResources } from '../render/testing/with-resources.ts';
import { asked, askedOverHttp, httpFilters, networkFilters } from './testing/access-filters.ts';
import { Verified, verify } from './verify.ts';

/** A proxy with these filters, and what `verify` says of them as a template could write them. */
function proxyWith(level: 'http' | 'network', policyFilters: readonly (RbacIR | ExtAuthzIR)[]) {
  const chain =
    level === 'http'
      ? chainIR('chain', httpIR('r', { policyFilters }))
      : chainIR('chain', tcpIR('c'), { policyFilters });
  const proxy = proxyIR({
    inbound: {
      listeners: [listenerIR('l', 15006, { filterChains: [chain] })],
      routes: [routesIR('r', virtualHostIR('all', ['*'], [routeIR('default', forward('c'))]))],
      clusters: [clusterIR('c'), clusterIR('authorizer')],
    },
  });
  const rendered = createRenderer().render(proxy, new DiagnosticBag()) as EnvoyConfig;
  const others = new Verified();
  for (const other of [rendered.bootstrap, ...rendered.clusters, ...rendered.routes]) others.resources.add(other);
  return (edit: (filters: Json[], connection: Json) => void): string[] => {
    const bag = new DiagnosticBag();
    const listeners = rendered.listeners.map((resource) => {
      const json: Json = structuredClone(resource.json);
      const [{ filters }] = json.filter_chains;
      edit(level === 'http' ? filters[0].typed_config.http_filters : filters, filters[0].typed_config);
      return { ...resource, json };
    });
    verify(proxy, withResources(rendered, { listeners }), bag, others);
    return bag.all.map(({ code, message }) => `${code}: ${message}`);
  };
}

/** Fields that say nothing about who may do what: names of statistics and filters, and authorities for logs. */
const free = /(^|\.)(stat_prefix|authority|uri|transport_api_version|name|metadata_context_namespaces(\.0)?)$/;
/** What these tests ask for is what Envoy does without them. */
const defaults = /^(failure_mode_allow|status_on_error|status_on_error\.code|(shadow_)?rules\.action)$/;
const dropped = Symbol('dropped');

/** Each field of a message below `path`, once taken away and once changed. */
function edits(node: Json, path: readonly string[] = []): { at: readonly string[]; value: unknown }[] {
  if (typeof node !== 'object' || node === null) {
    const value = typeof node === 'string' ? `${node}x` : typeof node === 'boolean' ? !node : Number(node) + 1;
    return [{ at: path, value }];
  }
  return Object.entries(node).flatMap(([key, child]) => [
    { at: [...path, key], value: dropped },
    ...edits(child as Json, [...path, key]),
  ]);
}

function apply(root: Json, at: readonly string[], value: unknown): void {
  const parent = at.slice(0, -1).reduce((node, key) => node[key], root);
  const key = at.at(-1) ?? '';
  if (value !== dropped) parent[key] = value;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

const everything = { permissions: [{ any: true }], principals: [{ any: true }] };

describe('access filters in the output', () => {
  test('are what the rules ask for', () => {
    expect(proxyWith('http', httpFilters)(() => {})).toEqual([]);
    expect(proxyWith('network', networkFilters)(() => {})).toEqual([]);
  });

  test.each([
    ['http rules', 'http', httpFilters[3]!],
    ['http, a gRPC authorizer', 'http', asked],
    ['http, an HTTP authorizer', 'http', askedOverHttp],
    ['network rules', 'network', networkFilters[0]!],
    ['network, an authorizer', 'network', asked],
  ] as const)('are looked at in each of their fields (%s)', (_, level, filter) => {
    const told = proxyWith(level, [filter]);
    let config: Json;
    told(([first]) => {
      config = structuredClone(first.typed_config);
    });
    const unseen = edits(config).filter(({ at, value }) => {
      const path = at.join('.');
      if (free.test(path) || (value === dropped && defaults.test(path))) return false;
      return told(([first]) => apply(first.typed_config, at, value)).length === 0;
    });
    expect(unseen.map(({ at }) => at.join('.'))).toEqual([]);
  });

  const policies = (filter: Json): Json => filter.typed_config.rules.policies;
  test.each<[string, (filters: Json[], connection: Json) => void, RegExp]>([
    ['a filter fewer', (all) => all.splice(3, 1), /filters are rbac, ext-authz, ext-authz, rbac, not/],
    ['two in the other order', (all) => all.splice(0, 2, all[1], all[0]), /filters are ext-authz, rbac, ext-authz/],
    ['one more', (all) => all.unshift(all[4]), /filters are rbac, rbac/],
    ['one that is switched off', (all) => Object.assign(all[3], { disabled: true }), /disabled is true/],
    ['a rule more', (all) => Object.assign(policies(all[4]), { mine: everything }), /nobody asks for the rule "mine"/],
    [
      'an alternative more',
      (all) => policies(all[4])['ns[a]-allowed'].principals.push({ any: true }),
      /the principals of "ns\[a\]-allowed" are not those of its rule/,
    ],
    [
      'an inverted header',
      (all) => {
        policies(all[3])['ns[a]-denied'].permissions[0].and_rules.rules[4].header.invert_match = true;
      },
      /the permissions of "ns\[a\]-denied" are not/,
    ],
    ['a matcher', (all) => Object.assign(all[4].typed_config, { shadow_matcher: {} }), /asks for shadow_matcher/],
    [
      'an authorizer that is not asked',
      (all) => Object.assign(all[1].typed_config, { filter_enabled: { default_value: { numerator: 0 } } }),
      /no rule asks for filter_enabled/,
    ],
    [
      'an authorizer whose 101 reaches the client',
      (_all, connection) => delete connection.local_reply_config,
      /an authorizer's status below 200 would reach the client/,
    ],
    [
      'an authorizer whose refusal becomes a 200',
      (_all, { local_reply_config: { mappers } }) => mappers.unshift({ filter: mappers[0].filter, status_code: 200 }),
      /an authorizer's status below 200 would reach the client/,
    ],
  ])('lose a rule: %s', (_, edit, expected) => {
    const [first = '', ...more] = proxyWith('http', httpFilters)((...at) => void edit(...at));
    expect(first).toMatch(expected);
    expect(first.startsWith('template-lost-rule')).toBe(true);
    expect(more).toEqual([]);
  });

  test.each(['rules_stat_prefix', 'track_per_rule_stats'])(
    'may count by %s as a template likes: figures take no access away',
    (field) => {
      const value = field === 'track_per_rule_stats' ? true : 'mine_';
      const told = proxyWith('http', httpFilters);
      expect(told((filters) => Object.assign(filters[3].typed_config, { [field]: value }))).toEqual([]);
    },
  );

  test('may stand beside rules of a user, which only take access away', () => {
    const own = { ...everything, principals: [{ direct_remote_ip: { address_prefix: '10.0.0.1', prefix_len: 32 } }] };
    const told = proxyWith(
      'http',
      httpFilters,
    )((filters) => {
      const { name, typed_config } = filters[0];
      const rules = { action: 'DENY', policies: { own } };
      filters.unshift({ name, typed_config: { '@type': typed_config['@type'], rules } });
    });
    expect(told).toEqual([]);
  });
});
