import { describe, expect, test } from 'vitest';
import { effectiveOutbound, meshService } from '../../../testing/topology.ts';
import type { Service } from '../../topology/model.ts';
import { outboundOf } from './testing/outbound-of.ts';

describe('virtual hosts', () => {
  const domainsFrom = (namespace: string, fields: Partial<Service> = {}) =>
    outboundOf([meshService('ns1/foo', fields)], { scope: { namespace } }).routes[0]?.virtualHosts[0]?.domains;

  test('go by every short form that the client’s namespace allows, and by address', () => {
    const host = 'foo.ns1.svc.cluster.local';
    expect(domainsFrom('ns1')).toEqual([host, 'foo', 'foo.ns1', 'foo.ns1.svc', '10.0.0.1']);
    expect(domainsFrom('ns2', { addresses: ['fd00::1', '10.9.0.0/16'] })).toEqual([
      host,
      'foo.ns1',
      'foo.ns1.svc',
      '[fd00::1]',
    ]);
  });

  test('send to the service with two retries, the default time-out and no retry of a 503', () => {
    const { routes } = outboundOf([meshService('a')], { settings: { defaultRequestTimeoutMs: 7000 } });
    const action = routes[0]?.virtualHosts[0]?.routes[0]?.action;
    expect(action).toMatchObject({
      kind: 'cluster',
      timeoutMs: 7000,
      retry: { attempts: 2, avoidPreviousHosts: true },
    });
    expect(JSON.stringify(action)).not.toMatch(/503|5xx|gateway-error|retriable/);
  });

  test.each([
    ['ALLOW_ANY', 'allow_any', { kind: 'cluster', cluster: 'PassthroughCluster', timeoutMs: 0 }],
    ['REGISTRY_ONLY', 'block_all', { kind: 'direct-response', status: 502 }],
  ] as const)('end under %s with %s', (outboundTrafficPolicy, name, action) => {
    const { routes } = outboundOf([meshService('a')], { settings: { outboundTrafficPolicy } });
    expect(routes[0]?.virtualHosts.at(-1)).toMatchObject({ name, domains: ['*'], routes: [{ action }] });
  });

  test('leave a domain to the oldest service, and count the others', () => {
    const entry = meshService('default/A.default', { kind: 'ServiceEntry', addresses: ['10.0.0.9'] });
    const outbound = outboundOf([
      meshService('a'),
      { ...entry },
      meshService('other/10.0.0.9', { kind: 'ServiceEntry' }),
    ]);
    const domains = outbound.routes[0]?.virtualHosts.map((host) => host.domains.join(' '));
    expect(domains).toEqual(['10.0.0.9', 'a.default.svc.cluster.local a a.default a.default.svc 10.0.0.1', '*']);
    expect(outbound.conflicts?.filter(({ metric }) => metric === 'pilot_vservice_dup_domain')).toEqual([
      { metric: 'pilot_vservice_dup_domain', key: '10.0.0.9:8000' },
      { metric: 'pilot_vservice_dup_domain', key: 'A.default:8000' },
    ]);
    expect(outbound.codes).toEqual(['duplicate-domain', 'duplicate-domain']);
  });

  test('keep the short names of a service from an older entry of another namespace, not from its own', () => {
    const entry = (name: string) => meshService(name, { kind: 'ServiceEntry', addresses: [], createdAt: 1 });
    const domains = (older: string) => {
      const { routes, codes } = outboundOf([entry(older), meshService('ns1/foo')], { scope: { namespace: 'ns2' } });
      return [routes[0]?.virtualHosts.map((host) => host.domains.join(' ')), codes];
    };
    const whole = 'foo.ns1.svc.cluster.local foo.ns1 foo.ns1.svc 10.0.0.1';
    expect(domains('evil/foo.ns1')).toEqual([[whole, '*'], ['duplicate-domain']]);
    const [own] = domains('ns1/foo.ns1');
    expect(own).toEqual([whole.replace(' foo.ns1 ', ' '), 'foo.ns1', '*']);
  });

  test('hash what the rule of a consistent-hash service names', () => {
    const rule = { loadBalancer: { consistentHash: { httpCookie: { name: 'user', path: '/', ttl: '10s' } } } };
    const { routes } = outboundOf([effectiveOutbound(meshService('a'), rule)]);
    expect(routes[0]?.virtualHosts[0]?.routes[0]?.action).toMatchObject({
      hashPolicies: [{ kind: 'cookie', name: 'user', path: '/', ttlMs: 10_000 }],
      retry: { avoidPreviousHosts: false },
    });
  });
});
