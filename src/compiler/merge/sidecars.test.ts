import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Sidecar } from '../../policy/sidecar.ts';
import * as make from '../../testing/objects.ts';
import { createAnalyser } from '../analyse.ts';

const http = [{ name: 'http', port: 80 }];
const app = (name: string) => ({ selector: { app: name }, ports: http });
const inject = (name: string) => make.namespace(name, { 'mesh-injection': 'enabled' });

const mesh = [
  ...['a', 'b', 'mesh-system'].map(inject),
  make.pod({ name: 'a/client', labels: { app: 'client', tier: 'front' } }, '10.0.0.1'),
  make.pod({ name: 'a/web', labels: { app: 'web' } }, '10.0.0.2'),
  make.pod({ name: 'b/reviews', labels: { app: 'reviews' } }, '10.0.0.3'),
  make.service('a/web', app('web')),
  make.service('b/reviews', app('reviews')),
  make.service('b/ratings', app('ratings')),
];

type Extra = Parameters<ReturnType<typeof createAnalyser>>[0];

/** What each workload imports, and what was said. */
function analysed(objects: Extra, settings: Partial<Settings> = {}) {
  const bag = new DiagnosticBag();
  const snapshot = createAnalyser({ ...defaultSettings, ...settings })([...mesh, ...objects], bag);
  const scopeOf = (name: string) => {
    const workload = snapshot?.topology.workloads.find((it) => `${it.namespace}/${it.name}` === name);
    if (snapshot === undefined || workload === undefined) throw new Error(bag.all.map((it) => it.message).join('\n'));
    return snapshot.scopeOf(workload);
  };
  return {
    scopeOf,
    hosts: (name: string) =>
      (snapshot?.effective.outbound(scopeOf(name)) ?? []).map(({ service }) => service.host.split('.svc')[0]).sort(),
    routes: (name: string) => (snapshot?.effective.virtualServices(scopeOf(name)) ?? []).map((it) => it.name),
    said: bag.all
      .filter(({ code }) => !/^(service-|policy-without)/.test(code))
      .map(({ code, message }) => `${code}: ${message}`),
  };
}

const importing = (name: string, hosts: readonly string[], rest: Partial<Sidecar['spec']> = {}): Sidecar =>
  make.sidecar(name, { egress: [{ hosts }], ...rest });

const all = ['ratings.b', 'reviews.b', 'web.a'];

describe('egress', () => {
  test.each([
    ['./*', ['web.a']],
    ['b/*', ['ratings.b', 'reviews.b']],
    ['*/*', all],
    ['~/*', []],
    ['b/reviews.b.svc.cluster.local', ['reviews.b']],
    ['b/Reviews.B.svc.cluster.local', ['reviews.b']],
    ['*/*.b.svc.cluster.local', ['ratings.b', 'reviews.b']],
    ['./reviews.b.svc.cluster.local', []],
    ['b/reviews', []],
  ])('of "%s" imports these services alone', (host, expected) => {
    expect(analysed([importing('a/s', [host])]).hosts('a/client')).toEqual(expected);
  });

  test('does not import what is not exported to the client', () => {
    const hidden = make.serviceEntry('b/private', { hosts: ['private.example'], exportTo: ['.'] });
    expect(analysed([hidden, importing('a/s', ['*/*'])]).hosts('a/client')).toEqual(all);
  });

  test('chooses among services of one host those that it imports', () => {
    const entry = (namespace: string) => make.serviceEntry(`${namespace}/e`, { hosts: ['api.example'] });
    const { scopeOf, hosts } = analysed([entry('a'), entry('b'), importing('a/s', ['b/api.example'])]);
    expect(hosts('a/client')).toEqual(['api.example']);
    expect(scopeOf('a/client').egress).toEqual([{ hosts: [{ namespace: 'b', host: 'api.example' }] }]);
  });

  test('of equal meaning gives clients one scope', () => {
    const front = importing('a/front', ['b/*', './*', 'a/web.a.svc.cluster.local'], {
      workloadSelector: { labels: { tier: 'front' } },
    });
    const { scopeOf } = analysed([front, importing('a/s', ['a/*', 'b/*', '~/*'])]);
    expect(scopeOf('a/client').key).toBe(scopeOf('a/web').key);
  });
});

describe('egress with ports', () => {
  const listener = (hosts: readonly string[], number: number, rest: object = {}) => ({
    ...{ hosts, port: { number, protocol: 'HTTP' } },
    ...rest,
  });
  const scoped = (...egress: NonNullable<Sidecar['spec']['egress']>) => analysed([make.sidecar('a/s', { egress })]);

  test('imports services that have the port alone', () => {
    expect(scoped(listener(['*/*'], 80)).hosts('a/client')).toEqual(all);
    expect(scoped(listener(['*/*'], 81)).hosts('a/client')).toEqual([]);
    expect(scoped(listener(['*/*'], 81), { hosts: ['./*'] }).hosts('a/client')).toEqual(['web.a']);
  });

  test.each([
    [{}, {}],
    [{ bind: '0.0.0.0' }, {}],
    [{ bind: '192.0.2.1', captureMode: 'IPTABLES' }, { address: '192.0.2.1' }],
    [{ captureMode: 'NONE' }, { address: '127.0.0.1', isBound: true }],
    [
      { captureMode: 'NONE', bind: '127.0.0.9' },
      { address: '127.0.0.9', isBound: true },
    ],
  ])('and with %o stands at %o', (rest, place) => {
    expect(scoped(listener(['~/*'], 80, rest)).scopeOf('a/client').egress).toEqual([
      { ...place, port: { number: 80, protocol: 'http' }, hosts: [] },
    ]);
  });

  test('may not be where the proxy itself listens', () => {
    expect(scoped(listener(['~/*'], 15000, { captureMode: 'NONE' })).said).toEqual([
      'sidecar-port-of-proxy: port 15000 is one on which the proxy itself listens (administration)',
    ]);
  });
});

describe('Sidecars', () => {
  const ofRoot = importing('mesh-system/default', ['./*']);

  test('of the workload go before that of the namespace, and that before the one of the root namespace', () => {
    const selecting = importing('a/front', ['~/*'], { workloadSelector: { labels: { tier: 'front' } } });
    const { hosts } = analysed([ofRoot, importing('a/default', ['b/*']), selecting]);
    expect([hosts('a/client'), hosts('a/web'), hosts('b/reviews')]).toEqual([
      [],
      ['ratings.b', 'reviews.b'],
      ['ratings.b', 'reviews.b'],
    ]);
  });

  test('leave to the next less specific one what they do not say', () => {
    const strict = { outboundTrafficPolicy: {} };
    const selecting = make.sidecar('a/front', { workloadSelector: { labels: { tier: 'front' } }, ...strict });
    const { scopeOf, hosts } = analysed([ofRoot, selecting]);
    expect(hosts('a/client')).toEqual(['web.a']);
    expect(scopeOf('a/client').outboundTrafficPolicy).toBe('REGISTRY_ONLY');
    expect(scopeOf('a/web').outboundTrafficPolicy).toBeUndefined();
  });

  test('with a selector in the root namespace select nothing elsewhere', () => {
    const selecting = importing('mesh-system/front', ['~/*'], { workloadSelector: { labels: { tier: 'front' } } });
    const { hosts, said } = analysed([selecting]);
    expect(hosts('a/client')).toEqual(all);
    expect(said).toEqual([expect.stringContaining('selector-without-workload: Sidecar "mesh-system/front"')]);
  });

  test('do not hold for gateways', () => {
    const gateway = make.pod({ name: 'a/edge', labels: {} }, '10.0.0.9', {
      containers: [{ name: 'mesh-proxy', args: ['proxy', 'router'] }],
    });
    expect(analysed([gateway, importing('a/s', ['~/*'])]).hosts('a/edge')).toEqual(all);
  });

  test('that hold for the same clients: the oldest is in force, and a warning names the others', () => {
    const at = (name: string, createdAt: number, hosts: readonly string[], spec: Partial<Sidecar['spec']> = {}) => ({
      ...importing(name, hosts, spec),
      createdAt,
    });
    const front = { workloadSelector: { labels: { tier: 'front' } } };
    const { hosts, said } = analysed([
      at('a/younger', 2, ['*/*']),
      at('a/older', 1, ['./*']),
      at('a/front-younger', 2, ['*/*'], front),
      at('a/front-older', 1, ['~/*'], front),
    ]);
    expect([hosts('a/client'), hosts('a/web')]).toEqual([[], ['web.a']]);
    expect(said).toEqual([
      expect.stringMatching(/^competing-scope-policies: Sidecar "a\/younger" is ignored: "a\/older" applies to all of/),
      expect.stringMatching(/^competing-workload-policies: Sidecar "a\/front-younger" is ignored on "a\/client"/),
    ]);
  });
});

describe('what the proxy itself calls', () => {
  const toReviews = make.virtualService('a/web', {
    hosts: ['web'],
    http: [{ route: [{ destination: { host: 'reviews.b.svc.cluster.local' } }] }],
  });

  test('is in the scope where an imported route names it, and not by a route that is not imported', () => {
    const { hosts, routes } = analysed([toReviews, importing('a/s', ['./*'])]);
    expect([hosts('a/client'), routes('a/client')]).toEqual([['reviews.b', 'web.a'], ['web']]);
    const other = analysed([toReviews, importing('a/s', ['b/ratings.b.svc.cluster.local'])]);
    expect([other.hosts('a/client'), other.routes('a/client')]).toEqual([['ratings.b'], []]);
  });

  test('is in the scope where it is an external authorizer', () => {
    const service = 'b/ratings.b.svc.cluster.local';
    const authorizer = { protocol: 'http', service, port: 80 } as NonNullable<
      Settings['extensionProviders'][number]['authorizer']
    >;
    const settings = { extensionProviders: [{ name: 'z', authorizer }] } as unknown as Partial<Settings>;
    expect(analysed([importing('a/s', ['~/*'])], settings).hosts('a/client')).toEqual(['ratings.b']);
  });

  test('follows the routes when these change', () => {
    const analyse = createAnalyser(defaultSettings);
    const hostsWith = (objects: Extra) => {
      const snapshot = analyse([...mesh, importing('a/s', ['./*']), ...objects], new DiagnosticBag());
      const client = snapshot?.topology.workloads.find(({ name }) => name === 'client');
      if (snapshot === undefined || client === undefined) throw new Error('no snapshot');
      return snapshot.effective.outbound(snapshot.scopeOf(client));
    };
    expect(hostsWith([toReviews]).length).toBe(2);
    const without = hostsWith([]);
    expect(without.length).toBe(1);
    expect(hostsWith([])).toBe(without);
  });
});

describe('checkEgress', () => {
  test.each([
    ['c/*', 'there is no namespace "c"'],
    ['./reviews.b.svc.cluster.local', 'no service of namespace "a" has the host "reviews.b.svc.cluster.local"'],
    ['*/nobody.example', 'no service has the host "nobody.example"'],
    ['b/reviews', 'no service of namespace "b" has the host "reviews"'],
    ['b/private.example', '"private.example" is not exported to namespace "a"'],
  ])('says of "%s" that it imports nothing', (host, why) => {
    const hidden = make.serviceEntry('b/private', { hosts: ['private.example'], exportTo: ['.'] });
    const { said } = analysed([hidden, importing('a/s', [host])]);
    expect(said).toEqual([`egress-host-without-service: "${host}" imports nothing: ${why}`]);
  });

  test('says nothing of hosts that only a VirtualService has, and of patterns that fit any namespace', () => {
    const routed = make.virtualService('b/v', { hosts: ['routed.example'] });
    const hosts = ['./*', '*/*', '~/*', 'b/routed.example', 'mesh-system/*'];
    const { said } = analysed([routed, importing('a/s', hosts), importing('mesh-system/s', ['./web.a.svc.x'])]);
    expect(said.filter((text) => text.startsWith('egress'))).toEqual([]);
  });
});

describe('ingress', () => {
  const port = (number: number) => ({ port: { number, protocol: 'HTTP' } });
  const portLevel = make.peerAuthentication('a/p', {
    selector: { matchLabels: { app: 'web' } },
    portLevelMtls: { 80: { mode: 'STRICT' }, 8080: { mode: 'STRICT' } },
  });
  const inboundOf = (...sidecars: readonly Sidecar[]) => {
    const snapshot = createAnalyser(defaultSettings)([...mesh, portLevel, ...sidecars], new DiagnosticBag());
    const web = { namespace: 'a', name: 'web' };
    if (snapshot === undefined) throw new Error('no snapshot');
    const numbers = snapshot.effective.ingress(web).map(({ number }) => number);
    return { numbers, strict: [...snapshot.effective.inbound(web).ports.keys()] };
  };

  test('puts a port-level mode in force on its ports, and takes none out of force', () => {
    expect(inboundOf()).toEqual({ numbers: [], strict: [80] });
    expect(inboundOf(make.sidecar('a/s', { ingress: [port(8080)] }))).toEqual({ numbers: [8080], strict: [80, 8080] });
    expect(analysed([portLevel]).said).toEqual([
      expect.stringContaining('port-without-service: mutual TLS of port 8080'),
    ]);
    expect(analysed([portLevel, make.sidecar('a/s', { ingress: [port(8080)] })]).said).toEqual([]);
  });

  test('is that of the most specific Sidecar alone', () => {
    const wide = make.sidecar('a/s', { ingress: [port(8080)] });
    const own = make.sidecar('a/web', { workloadSelector: { labels: { app: 'web' } }, egress: [{ hosts: ['./*'] }] });
    expect(inboundOf(wide, own).numbers).toEqual([]);
  });
});
