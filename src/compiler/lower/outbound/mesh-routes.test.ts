import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { virtualService } from '../../../testing/objects.ts';
import { clientScope, effectiveOutbound, meshService, ports } from '../../../testing/topology.ts';
import type { OutboundIR } from '../../ir/proxy.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import type { HttpRoute, VirtualService } from '../../policy/virtual-service.ts';
import type { Service } from '../../topology/model.ts';
import { Memo } from '../memo.ts';
import { lowerOutbound } from './outbound.ts';

interface Options {
  readonly scope?: Partial<ClientScope>;
  readonly memo?: Memo;
}

type Seen = Service | EffectiveOutbound;

function outboundOf(
  services: readonly Seen[],
  virtualServices: readonly EffectiveVirtualService[],
  options: Options = {},
) {
  const bag = new DiagnosticBag();
  const outbounds = services.map((service) => ('subsets' in service ? service : effectiveOutbound(service)));
  const lowering = { settings: defaultSettings, memo: options.memo ?? new Memo() };
  const input = { scope: clientScope(options.scope), services: outbounds, virtualServices };
  const outbound = lowerOutbound(input, lowering, bag);
  return { ...outbound, codes: bag.all.map(({ code }) => code) };
}

/** An object of namespace `default`, as merging gives it. */
function routed(name: string, spec: VirtualService['spec']): EffectiveVirtualService {
  const object = virtualService(`default/${name}`, spec);
  const blocks = (spec.http ?? []).map((route, i) => ({ route, owner: object, path: ['spec', 'http', i] }));
  return { ...object, blocks };
}

const to = (host: string, fields: Partial<HttpRoute> = {}): HttpRoute => ({
  route: [{ destination: { host } }],
  ...fields,
});

/** The virtual hosts of a table, each with its routes' names and clusters. */
function table({ routes }: Pick<OutboundIR, 'routes'>, name: string): Record<string, string[]> {
  const hosts = routes.find((table) => table.name === name)?.virtualHosts ?? [];
  return Object.fromEntries(
    hosts.map((host) => [
      host.name,
      host.routes.map(({ name: route, action }) => `${route} ${'cluster' in action ? action.cluster : action.kind}`),
    ]),
  );
}

const web = meshService('default/web', { ports: ports('80/http'), addresses: ['10.0.0.1'] });
const api = meshService('default/api', { ports: ports('80/http'), addresses: ['10.0.0.2'] });
const admin = meshService('default/admin', { ports: ports('8080/http') });
const cluster = (name: string, port = 80): string => `outbound|${port}||${name}.default.svc.cluster.local`;

describe('a VirtualService of sidecars', () => {
  test('has the routes of its service, and no other', () => {
    const outbound = outboundOf([web, api], [routed('web', { hosts: ['web'], http: [to('api', { name: 'r' })] })]);
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
    const outbound = outboundOf([web, api], [routed('web', spec)]);
    expect(table(outbound, '80')['web.default.svc.cluster.local:80']).toEqual([`default ${cluster('web')}`]);
    expect(outbound.codes).toEqual([]);
  });

  test('gives way to an older one for the same host, unless that has nothing for the port', () => {
    const elsewhere = routed('a', { hosts: ['web'], http: [to('api', { match: [{ port: 8080 }], name: 'a' })] });
    const first = routed('b', { hosts: ['web'], http: [to('api', { name: 'b' })] });
    const second = routed('c', { hosts: ['web'], http: [to('web', { name: 'c' })] });
    const outbound = outboundOf([web, api], [elsewhere, first, second]);
    expect(table(outbound, '80')['web.default.svc.cluster.local:80']).toEqual([`b ${cluster('api')}`]);
    expect(outbound.codes).toEqual(['duplicate-domain']);
    const conflict = { metric: 'pilot_vservice_dup_domain', key: 'web.default.svc.cluster.local:80' };
    expect(outbound.conflicts).toContainEqual(conflict);
  });

  test('for a wildcard is for all services under it that no narrower one names', () => {
    const wide = routed('wide', { hosts: ['*.default.svc.cluster.local'], http: [to('api', { name: 'wide' })] });
    const narrow = routed('narrow', { hosts: ['web'], http: [to('api', { name: 'narrow' })] });
    const outbound = outboundOf([web, api], [wide, narrow]);
    expect(table(outbound, '80')).toMatchObject({
      'api.default.svc.cluster.local:80': [`wide ${cluster('api')}`],
      'web.default.svc.cluster.local:80': [`narrow ${cluster('api')}`],
    });
    expect(outbound.codes).toEqual([]);
  });

  test('for a host that no service has is on port 80', () => {
    const shop = routed('shop', { hosts: ['Shop.example', 'fd00::1'], http: [to('admin', { name: 'r' })] });
    const outbound = outboundOf([web, admin], [shop]);
    expect(table(outbound, '80')['shop.example:80']).toEqual([`r ${cluster('admin', 8080)}`]);
    expect(table(outbound, '8080')['shop.example:8080']).toBeUndefined();
    const hosts = outbound.routes.find(({ name }) => name === '80')?.virtualHosts ?? [];
    expect(hosts.find(({ name }) => name === 'fd00::1:80')?.domains).toEqual(['[fd00::1]']);
  });

  test('takes a domain from a service that goes by it too', () => {
    const other = routed('other', { hosts: ['web.default'], http: [to('api', { name: 'r' })] });
    const outbound = outboundOf([web, api], [other]);
    const hosts = outbound.routes.find(({ name }) => name === '80')?.virtualHosts ?? [];
    const domains = hosts.find(({ name }) => name.startsWith('web.default.svc'))?.domains;
    expect(table(outbound, '80')['web.default:80']).toEqual([`r ${cluster('api')}`]);
    expect(domains).not.toContain('web.default');
    expect(outbound.codes).toEqual(['duplicate-domain']);
  });

  test('is for detected ports too', () => {
    const any = meshService('default/any', { ports: ports('7000/auto'), addresses: ['10.0.0.7'] });
    const outbound = outboundOf([any, api], [routed('any', { hosts: ['any'], http: [to('api', { name: 'r' })] })]);
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
    const outbound = outboundOf([web, admin], [routed('web', { hosts: ['web'], http: [to('web', features)] })]);
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
    const outbound = outboundOf([web, admin, two], [routed('web', { hosts: ['web'], http: [route] })]);
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

describe('routes of connections', () => {
  const secure = meshService('default/secure', { ports: ports('443/tls'), addresses: ['10.0.0.4'] });
  const db = meshService('default/db', { ports: ports('5432/tcp'), addresses: ['10.0.0.5'] });
  const other = meshService('default/other', { ports: ports('5432/tcp'), addresses: ['10.0.0.6'] });
  const route = [{ destination: { host: 'other', port: { number: 5432 } } }];
  const toOther = 'outbound|5432||other.default.svc.cluster.local';

  /** Chains of a listener with what they match and where they lead; the default chain last. */
  function chains(outbound: OutboundIR, name: string): string[] {
    const listener = outbound.listeners.find((one) => one.name === name);
    return [...(listener?.filterChains ?? []), ...[listener?.defaultFilterChain ?? []].flat()].map(
      ({ match, filter }) => {
        const { serverNames, destinationPrefixes, sourcePrefixes = [] } = match;
        const conditions = [...serverNames, ...destinationPrefixes, ...sourcePrefixes.map((block) => `from ${block}`)];
        return `${conditions.join(' ') || 'any'}: ${filter.kind === 'tcp' ? filter.cluster : filter.routeConfig}`;
      },
    );
  }

  test('by server name take the place of a TLS port, each name once', () => {
    const spec = {
      hosts: ['secure'],
      tls: [
        { match: [{ sniHosts: ['secure', 'A.example'] }], route },
        {
          match: [{ sniHosts: ['a.example'], destinationSubnets: ['10.0.0.0/9'] }, { sniHosts: ['a.example'] }],
          route,
        },
      ],
    };
    expect(chains(outboundOf([secure, other], [routed('s', spec)]), '10.0.0.4_443')).toEqual([
      `secure: ${toOther}`,
      `a.example: ${toOther}`,
      `a.example 10.0.0.0/9: ${toOther}`,
    ]);
  });

  test.each<[string, NonNullable<VirtualService['spec']['tcp']>, string[]]>([
    ['without conditions take a port', [{ route }], [`any: ${toOther}`]],
    [
      'by address stand before the service itself',
      [{ match: [{ destinationSubnets: ['10.0.0.5/32'] }, { sourceSubnet: '10.1.0.0/16' }], route }],
      [`10.0.0.5: ${toOther}`, `from 10.1.0.0/16: ${toOther}`, `any: ${cluster('db', 5432)}`],
    ],
    [
      'behind one without conditions are never used',
      [{ route }, { match: [{ sourceSubnet: '10.1.0.0/16' }], route }],
      [`any: ${toOther}`],
    ],
    [
      'for other clients and ports say nothing',
      [{ match: [{ sourceLabels: { app: 'x' } }, { port: 1 }, { gateways: ['edge'] }], route }],
      [`any: ${cluster('db', 5432)}`],
    ],
  ])('%s', (_, tcp, expected) => {
    expect(chains(outboundOf([db, other], [routed('db', { hosts: ['db'], tcp })]), '10.0.0.5_5432')).toEqual(expected);
  });

  test('are shared out by weight', () => {
    const weighted = [
      { destination: { host: 'db' }, weight: 3 },
      { destination: { host: 'other' }, weight: 1 },
      { destination: { host: 'secure' }, weight: 0 },
    ];
    const outbound = outboundOf([db, other, secure], [routed('db', { hosts: ['db'], tcp: [{ route: weighted }] })]);
    const filter = outbound.listeners.find(({ name }) => name === '10.0.0.5_5432')?.filterChains[0]?.filter;
    expect(filter).toMatchObject({
      weightedClusters: [
        { cluster: cluster('db', 5432), weight: 3 },
        { cluster: toOther, weight: 1 },
      ],
    });
  });
});

describe('what is shared', () => {
  const spec = { hosts: ['web'], http: [to('api')] };

  test('clients of two namespaces and labels have the identical routes, unless a match asks who they are', () => {
    const memo = new Memo();
    const routesFor = (service: EffectiveVirtualService, scope: Partial<ClientScope>) =>
      outboundOf(seen, [service], { memo, scope }).routes[0]?.virtualHosts.find(({ name }) => name.startsWith('web'))
        ?.routes;
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
    const of = (...services: EffectiveOutbound[]) => outboundOf(services, [object], { memo }).routes;
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
