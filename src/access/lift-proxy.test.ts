import { describe, expect, test } from 'vitest';
import { everyWay } from './evaluate/choices.ts';
import { serve } from './evaluate/serve.ts';
import { liftProxy } from './lift-proxy.ts';

const connection = {
  source: '10.0.0.2',
  destination: { address: '10.0.0.1', port: 80 },
  protocol: 'http/1.1',
} as const;
const request = { method: 'GET', path: '/admin', authority: 'h', headers: [] };
const tokens = { now: 0 };

const any = (type: string, fields: object): object => ({ '@type': `type.googleapis.com/${type}`, ...fields });
const filters = 'envoy.extensions.filters.http';

/** A listener with these HTTP filters before its router, which sends all to the application. */
function proxyWith(...httpFilters: readonly object[]) {
  const manager = {
    rds: { route_config_name: 'r' },
    http_filters: [...httpFilters, { name: 'router', typed_config: any(`${filters}.router.v3.Router`, {}) }],
  };
  const type = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
  const chain = { name: 'c', filters: [{ name: 'http', typed_config: any(type, manager) }] };
  const route = { name: 'x', match: { prefix: '/' }, route: { cluster: 'app' } };
  return liftProxy({
    listeners: [{ name: 'l', filter_chains: [chain] }],
    routes: [{ name: 'r', virtual_hosts: [{ name: 'v', domains: ['*'], routes: [route] }] }],
    clusters: [],
  });
}

function outcomeWith(...httpFilters: readonly object[]) {
  const { listeners, routes } = proxyWith(...httpFilters);
  const listener = listeners.get('l');
  if (listener === undefined) throw new Error('no listener');
  return everyWay((choose) => serve(listener, connection, request, { routes, tokens, choose }).outcome)[0]?.result;
}

const rbacWith = (policies: object): object => ({
  name: 'rbac',
  typed_config: any(`${filters}.rbac.v3.RBAC`, { rules: { action: 'DENY', policies } }),
});

describe('a lifted proxy', () => {
  test('delivers a request that no filter refuses', () => {
    const headers = [
      ['x-forwarded-proto', 'http'],
      ['x-request-id', ''],
    ];
    const sent = { ...request, headers, opaque: ['x-request-id'], unseen: 12 };
    expect(outcomeWith()).toEqual({ kind: 'reaches', clusters: ['app'], request: sent });
  });

  test('gives "unknown" with the place if there is an unknown filter on the way', () => {
    const lua = { name: 'lua', typed_config: any(`${filters}.lua.v3.Lua`, {}) };
    expect(outcomeWith(lua)).toEqual({
      kind: 'unmodelled',
      at: 'filter_chains[0].filters[0].typed_config.http_filters[0].typed_config',
    });
  });

  test('gives "unknown" at a rule with an unknown field, and a verdict if an earlier rule decides', () => {
    const whole = { permissions: [{ any: true }], principals: [{ any: true }] };
    const strange = { ...whole, condition: { const_expr: { bool_value: false } } };
    expect(outcomeWith(rbacWith({ a: strange }))).toEqual({
      kind: 'unmodelled',
      at: 'filter_chains[0].filters[0].typed_config.http_filters[0].typed_config.rules.policies.a.condition',
    });
    expect(outcomeWith(rbacWith({ a: whole, b: strange }))).toEqual({
      kind: 'answered',
      status: 403,
      details: 'rbac_access_denied_matched_policy[a]',
    });
  });
});
