import { describe, expect, test } from 'vitest';
import type { HttpRoute, VirtualService } from '../../../policy/virtual-service.ts';
import { effectiveOutbound, meshService, ports } from '../../../testing/topology.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { Memo } from '../memo.ts';
import { outboundOf } from './testing/outbound-of.ts';
import { admin, api, cluster, routed, table, to, web } from './testing/routed.ts';

describe('a VirtualService of sidecars', () => {
  test('has the routes of its service, and no other', () => {
    const outbound = outboundOf([web, api], {
      virtualServices: [routed('web', { hosts: ['web'], http: [to('api', { name: 'r' })] })],
    });
    expect(table(outbound, '80')).toEqual({
      'api.default.svc.cluster.local:80': [`default ${cluster('api')}`],
      'web.default.svc.cluster.local:80': [`r ${cluster('api')}`],
      allow_any: ['allow_any PassthroughCluster'],
    });
  });

  test.each<[string, VirtualService['spec']]>([
    ['of gateways only', { hosts: ['web'], gateways: ['edge'], http: [to('api')] }],
    ['of no match for the client', { hosts: ['web'], http: [to('api', { match: [{ sourceNamespace: 'other' }] })] }],
    ['of no match for the port', { hosts: ['web'], http: [to('api', { match: [{ port: 8080 }] })] }],
    ['without HTTP routes', { hosts: ['web'], tcp: [{ route: [{ destination: { host: 'api' } }] }] }],
  ])('%s leaves a service its default route', (_, spec) => {
    const outbound = outboundOf([web, api], { virtualServices: [routed('web', spec)] });
    expect(table(outbound, '80')['web.default.svc.cluster.local:80']).toEqual([`default ${cluster('web')}`]);
    expect(outbound.codes).toEqual([]);
  });

  test('gives way to an older one for the same host, unless that has nothing for the port', () => {
    const elsewhere = routed('a', { hosts: ['web'], http: [to('api', { match: [{ port: 8080 }], name: 'a' })] });
    const first = routed('b', { hosts: ['web'], http: [to('api', { name: 'b' })] });
    const second = routed('c', { hosts: ['web'], http: [to('web', { name: 'c' })] });
    const outbound = outboundOf([web, api], { virtualServices: [elsewhere, first, second] });
    expect(table(outbound, '80')['web.default.svc.cluster.local:80']).toEqual([`b ${cluster('api')}`]);
    expect(outbound.codes).toEqual(['duplicate-domain']);
    const conflict = { metric: 'pilot_vservice_dup_domain', key: 'web.default.svc.cluster.local:80' };
    expect(outbound.conflicts).toContainEqual(conflict);
  });

  test('for a wildcard is for all services under it that no narrower one names', () => {
    const wide = routed('wide', { hosts: ['*.default.svc.cluster.local'], http: [to('api', { name: 'wide' })] });
    const narrow = routed('narrow', { hosts: ['web'], http: [to('api', { name: 'narrow' })] });
    const outbound = outboundOf([web, api], { virtualServices: [wide, narrow] });
    expect(table(outbound, '80')).toMatchObject({
      'api.default.svc.cluster.local:80': [`wide ${cluster('api')}`],
      'web.default.svc.cluster.local:80': [`narrow ${cluster('api')}`],
    });
    expect(outbound.codes).toEqual([]);
  });

  test('for a service that the Sidecar does not import is on port 80, also if routes lead to it', () => {
    const shared = routed('shared', { hosts: ['web', 'api'], http: [to('web', { name: 'r' })] });
    const egress = [{ hosts: [{ namespace: 'default', host: 'api.default.svc.cluster.local' }] }];
    const outbound = outboundOf([web, api], { virtualServices: [shared], scope: { egress } });
    expect(table(outbound, '80')).toMatchObject({
      'api.default.svc.cluster.local:80': [`r ${cluster('web')}`],
      'web.default.svc.cluster.local:80': [`r ${cluster('web')}`],
    });
  });

  test('for a host that no service has is on port 80', () => {
    const shop = routed('shop', { hosts: ['Shop.example', 'fd00::1'], http: [to('admin', { name: 'r' })] });
    const outbound = outboundOf([web, admin], { virtualServices: [shop] });
    expect(table(outbound, '80')['shop.example:80']).toEqual([`r ${cluster('admin', 8080)}`]);
    expect(table(outbound, '8080')['shop.example:8080']).toBeUndefined();
    const hosts = outbound.routes.find(({ name }) => name === '80')?.virtualHosts ?? [];
    expect(hosts.find(({ name }) => name === 'fd00::1:80')?.domains).toEqual(['[fd00::1]']);
  });

  test('takes a domain from a service that goes by it too', () => {
    const other = routed('other', { hosts: ['web.default'], http: [to('api', { name: 'r' })] });
    const outbound = outboundOf([web, api], { virtualServices: [other] });
    const hosts = outbound.routes.find(({ name }) => name === '80')?.virtualHosts ?? [];
    const domains = hosts.find(({ name }) => name.startsWith('web.default.svc'))?.domains;
    expect(table(outbound, '80')['web.default:80']).toEqual([`r ${cluster('api')}`]);
    expect(domains).not.toContain('web.default');
    expect(outbound.codes).toEqual(['duplicate-domain']);
  });

  test('is for detected ports too', () => {
    const any = meshService('default/any', { ports: ports('7000/auto'), addresses: ['10.0.0.7'] });
    const outbound = outboundOf([any, api], {
      virtualServices: [routed('any', { hosts: ['any'], http: [to('api', { name: 'r' })] })],
    });
    expect(table(outbound, 'any.default.svc.cluster.local:7000')).toEqual({
      'any.default.svc.cluster.local:7000': [`r ${cluster('api')}`],
    });
  });

  test.each<[string, HttpRoute['fault'] | undefined, HttpRoute['corsPolicy'] | undefined, string[]]>([
    ['nothing', undefined, undefined, []],
    ['faults', { abort: { percent: 1, httpStatus: 500 } }, undefined, ['fault']],
    ['CORS', undefined, { allowOrigins: [{ exact: 'https://a' }] }, ['cors']],
    ['both', { abort: { percent: 1, httpStatus: 500 } }, { allowOrigins: [{ exact: 'https://a' }] }, ['cors', 'fault']],
  ])('puts the filters for %s into the listeners of its tables alone', (_, fault, corsPolicy, expected) => {
    const features = { ...(fault && { fault }), ...(corsPolicy && { corsPolicy }) };
    const outbound = outboundOf([web, admin], {
      virtualServices: [routed('web', { hosts: ['web'], http: [to('web', features)] })],
    });
    const filtersOf = (name: string) => {
      const filter = outbound.listeners.find((one) => one.name === name)?.filterChains[0]?.filter;
      return filter?.kind === 'http' ? (filter.routeFilters ?? []) : undefined;
    };
    expect([filtersOf('0.0.0.0_80'), filtersOf('0.0.0.0_8080')]).toEqual([expected, []]);
  });
});

describe('destinations', () => {
  const two = meshService('default/two', { ports: ports('8081/http', '8082/http') });
  const clusterOf = (host: string, fields: object = {}) => {
    const route: HttpRoute = { route: [{ destination: { host, ...fields } }] };
    const outbound = outboundOf([web, admin, two], {
      virtualServices: [routed('web', { hosts: ['web'], http: [route] })],
    });
    return [table(outbound, '80')['web.default.svc.cluster.local:80']?.[0]?.split(' ')[1], ...outbound.codes];
  };

  test.each<[string, object, string[]]>([
    ['admin', {}, [cluster('admin', 8080)]],
    ['two', { port: { number: 8082 } }, [cluster('two', 8082)]],
    ['two', {}, ['BlackHoleCluster', 'destination-without-port']],
    ['two', { port: { number: 1 } }, ['BlackHoleCluster', 'destination-without-port']],
    ['web', { subset: 'v1' }, ['BlackHoleCluster', 'unknown-subset']],
    ['nobody.example', {}, ['BlackHoleCluster', 'unseen-destination']],
  ])('%s with %o is %s', (host, fields, expected) => {
    expect(clusterOf(host, fields)).toEqual(expected);
  });
});

describe('what is shared', () => {
  const spec = { hosts: ['web'], http: [to('api')] };

  test('clients of two namespaces and labels have the identical routes, unless a match asks who they are', () => {
    const memo = new Memo();
    const routesFor = (service: EffectiveVirtualService, scope: Partial<ClientScope>) =>
      outboundOf(seen, { virtualServices: [service], memo, scope }).routes[0]?.virtualHosts.find(({ name }) =>
        name.startsWith('web'),
      )?.routes;
    const seen = [effectiveOutbound(web), effectiveOutbound(api)];
    const plain = routed('web', spec);
    expect(routesFor(plain, { namespace: 'a' })).toBe(routesFor(plain, { namespace: 'b', labels: { app: 'x' } }));
    const asking = routed('web', { hosts: ['web'], http: [to('api', { match: [{ sourceNamespace: 'a' }] })] });
    expect(routesFor(asking, { namespace: 'a' })).not.toEqual(routesFor(asking, { namespace: 'b' }));
  });

  test('a rule for another service keeps the routes, one for a destination makes them anew', () => {
    const memo = new Memo();
    const object = routed('web', spec);
    const hash = { loadBalancer: { consistentHash: { httpHeaderName: 'x' } } };
    const of = (...services: EffectiveOutbound[]) => outboundOf(services, { virtualServices: [object], memo }).routes;
    const [webOut, apiOut, adminOut] = [web, api, admin].map((service) => effectiveOutbound(service)) as [
      EffectiveOutbound,
      EffectiveOutbound,
      EffectiveOutbound,
    ];
    const before = of(webOut, apiOut, adminOut)[0];
    expect(of(webOut, apiOut, effectiveOutbound(admin, hash))[0]).toBe(before);
    const [action] = of(webOut, effectiveOutbound(api, hash), adminOut)[0]?.virtualHosts.flatMap(({ name, routes }) =>
      name.startsWith('web') ? routes.map((route) => route.action) : [],
    ) ?? [undefined];
    expect(action).toMatchObject({ hashPolicies: [{ kind: 'header', name: 'x' }] });
  });
});
