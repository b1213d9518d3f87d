import { describe, expect, test } from 'vitest';
import { files, gateway, hostsOf, lowered, server, toWeb, virtualService } from './testing/lowered-gateway.ts';

describe('lowerGateway', () => {
  test.each<[string, string, boolean]>([
    ['80/HTTP', '80/HTTP', true],
    ['80/GRPC', '80/HTTP2', true],
    ['80/HTTPS', '80/HTTP', false],
    ['80/HTTP', '80/HTTPS', false],
    ['80/TCP', '80/HTTP', false],
    ['80/TCP', '80/TCP', false],
    ['80/HTTPS', '80/TLS', true],
    ['80/MONGO', '81/TCP', true],
  ])('a second server on a port: %s after %s', (second, first, isServed) => {
    const tlsOf = (port: string) => (/HTTPS|TLS/.test(port) ? { mode: 'SIMPLE' as const, ...files } : undefined);
    const one = gateway('shop/edge', server(first, ['a.example.com'], tlsOf(first)));
    const two = gateway('shop/edge2', server(second, ['b.example.com'], tlsOf(second)));
    const routes = { http: [{ route: toWeb }], tcp: [{ route: toWeb }] };
    const all = virtualService('shop/web', ['*'], routes, ['edge', 'edge2']);
    const { inbound, codes } = lowered([one, two], [all]);
    expect(codes).toEqual(isServed ? [] : ['gateway-server-left-out']);
    expect(inbound.conflicts).toEqual(
      isServed ? undefined : [{ metric: 'pilot_total_rejected_configs', key: 'gateway shop/edge2' }],
    );
  });

  test('leaves out a whole server that repeats one host of a TLS port, in any case', () => {
    const tls = { mode: 'SIMPLE', ...files } as const;
    const one = server('443/HTTPS', ['a.example.com'], tls);
    const two = server('443/HTTPS', ['b.example.com', './A.example.com'], tls);
    const { inbound, codes } = lowered([gateway('shop/edge', one, two)]);
    expect(codes).toEqual(['gateway-server-left-out']);
    expect(inbound.listeners[0]?.filterChains.map(({ match }) => match.serverNames)).toEqual([['a.example.com']]);
  });

  test.each<[string, string, string | undefined]>([
    ['*', '*', '*'],
    ['*.example.com', '*', '*.example.com'],
    ['*', 'a.example.com', 'a.example.com'],
    ['*.example.com', 'A.example.com', 'a.example.com'],
    ['a.example.com', 'b.example.com', undefined],
    ['*.example.com', 'example.com', undefined],
    ['shop/*', 'a.example.com', 'a.example.com'],
    ['./*', 'a.example.com', 'a.example.com'],
    ['*/*', 'a.example.com', 'a.example.com'],
    ['other/*', 'a.example.com', undefined],
    ['*.local', 'web', 'web.shop.svc.cluster.local'],
  ])('hosts %s of a server and %s of routes meet in %s', (offered, wanted, expected) => {
    const { inbound } = lowered(
      [gateway('shop/edge', server('80/HTTP', [offered]))],
      [virtualService('shop/web', [wanted])],
    );
    expect(hostsOf(inbound)).toEqual(expected === undefined ? { '*': [] } : { [expected]: ['web'] });
  });

  test.each(['edge', './edge', 'shop/edge', 'edge.shop.svc.cluster.local'])(
    'takes routes of VirtualServices that name the Gateway as %s',
    (name) => {
      const bound = virtualService('shop/web', ['*'], undefined, ['mesh', name]);
      const other = virtualService('shop/other', ['*'], undefined, ['mesh', 'other']);
      const { inbound } = lowered([gateway('shop/edge', server('80/HTTP', ['*']))], [other, bound]);
      expect(hostsOf(inbound)).toEqual({ '*': ['web'] });
    },
  );

  test('serves the Gateways that select the workload', () => {
    expect(lowered([]).inbound).toEqual({ listeners: [], routes: [], clusters: [] });
    const { inbound } = lowered([gateway('shop/edge', server('80/HTTP', ['*']))]);
    expect(inbound.listeners.map(({ name, addresses, port }) => [name, addresses, port])).toEqual([
      ['0.0.0.0_80', ['0.0.0.0'], 80],
    ]);
  });

  test('listens on the target port of its own service, and names tables by the port of the server', () => {
    const { inbound } = lowered([gateway('shop/edge', server('80/HTTP', ['*']))], undefined, { targets: [8080, 8443] });
    expect(inbound.listeners.map(({ port }) => port)).toEqual([8080]);
    expect(inbound.routes.map(({ name }) => name)).toEqual(['http.80']);
  });

  test('redirects to the port of the most specific TLS server, and uses no routes for the host', () => {
    const tls = { mode: 'SIMPLE', ...files } as const;
    const all = gateway(
      'shop/edge',
      server('80/HTTP', ['a.example.com', 'b.example.com', 'c.example.org'], { httpsRedirect: true }),
      server('8443/HTTPS', ['a.example.com'], tls),
      server('9443/HTTPS', ['*.example.com'], tls),
    );
    const { inbound } = lowered([all]);
    const [first] = inbound.routes.filter(({ name }) => name === 'http.80');
    expect(first?.virtualHosts.map(({ domains, routes }) => [domains[0], routes[0]?.action])).toEqual([
      ['a.example.com', { kind: 'redirect', status: 308, scheme: 'https', port: 8443 }],
      ['b.example.com', { kind: 'redirect', status: 308, scheme: 'https', port: 9443 }],
      ['c.example.org', { kind: 'redirect', status: 308, scheme: 'https' }],
    ]);
  });

  test('routes the requests of an HTTPS server whose httpsRedirect would lead them to itself', () => {
    const tls = { mode: 'SIMPLE', ...files, httpsRedirect: true } as const;
    const { inbound } = lowered([gateway('shop/edge', server('443/HTTPS', ['*'], tls))]);
    expect(hostsOf(inbound)).toEqual({ '*': ['web'] });
  });

  test('answers 421 for hosts of the other TLS servers of the port, those that pass TLS on too', () => {
    const tls = { mode: 'SIMPLE', ...files } as const;
    const all = gateway(
      'shop/edge',
      server('443/HTTPS', ['*.example.com'], tls),
      server('443/HTTPS', ['mutual.example.com'], { ...tls, mode: 'MUTUAL', caCertificates: '/ca' }),
      server('443/TLS', ['raw.example.com'], { mode: 'PASSTHROUGH' }),
      server('8443/HTTPS', ['elsewhere.example.com'], tls),
    );
    const routes = { http: [{ route: toWeb }], tls: [{ match: [{ sniHosts: ['raw.example.com'] }], route: toWeb }] };
    const { inbound } = lowered([all], [virtualService('shop/web', ['*.example.com', 'mutual.example.com'], routes)]);
    const byName = inbound.routes.map(({ name }, i) => [name.split('.')[2], hostsOf(inbound, i)]);
    expect(Object.fromEntries(byName)).toMatchObject({
      'HTTPS-*': { '*.example.com': ['web'], 'mutual.example.com raw.example.com': [421] },
      'HTTPS-mutual': { 'mutual.example.com': ['web'], 'raw.example.com *.example.com': [421] },
    });
  });

  test('serves no host of a server that was left out: it may have asked for client certificates', () => {
    const tls = { mode: 'SIMPLE', ...files } as const;
    const wide = gateway('shop/edge', server('443/HTTPS', ['*.example.com'], tls), server('443/HTTPS', ['b.org'], tls));
    const mutual = { ...tls, mode: 'MUTUAL', caCertificates: '/ca' } as const;
    const narrow = gateway('shop/narrow', server('443/HTTPS', ['b.org', 'mutual.example.com'], mutual));
    const all = virtualService('shop/web', ['*.example.com', 'mutual.example.com'], undefined, ['edge', 'narrow']);
    const { inbound, codes } = lowered([wide, narrow], [all]);
    expect(codes).toContain('gateway-server-left-out');
    expect(hostsOf(inbound)).toEqual({ '*.example.com': ['web'], 'mutual.example.com b.org': [421] });
  });

  test('names each foreign host in few tables where there are many', () => {
    const tls = { mode: 'SIMPLE', ...files } as const;
    const names = Array.from({ length: 150 }, (_, i) => `h${i}.example.com`);
    const servers = ['*.example.com', ...names].map((host) => server('443/HTTPS', [host], tls));
    const { inbound } = lowered([gateway('shop/edge', ...servers)], []);
    const counts = inbound.routes.map(({ virtualHosts }) => virtualHosts.flatMap(({ domains }) => domains).length);
    expect([...new Set(counts)].sort((a, b) => a - b)).toEqual([1, 151]);
  });

  test('keeps a server name for the server that ends its TLS', () => {
    const all = gateway(
      'shop/edge',
      server('443/TLS', ['*.example.com'], { mode: 'PASSTHROUGH' }),
      server('443/HTTPS', ['a.example.com'], { mode: 'SIMPLE', ...files }),
    );
    const tls = [{ match: [{ sniHosts: ['a.example.com', 'b.example.com'] }], route: toWeb }];
    const { inbound, codes } = lowered(
      [all],
      [virtualService('shop/web', ['*.example.com'], { http: [{ route: toWeb }], tls })],
    );
    const chains = inbound.listeners[0]?.filterChains ?? [];
    expect(chains.map(({ match, tls: ended }) => [match.serverNames, ended !== undefined])).toEqual([
      [['a.example.com'], true],
      [['b.example.com'], false],
    ]);
    expect(codes).toEqual(['duplicate-server-name']);
  });

  test.each([
    [undefined, ['auto-passthrough-not-allowed'], 0],
    [['shop/edge'], [], 1],
  ])('passes TLS on by the name that the client asks for where %s are allowed to', (allowed, expected, chains) => {
    const all = gateway('shop/edge', server('15443/TLS', ['*.local'], { mode: 'AUTO_PASSTHROUGH' }));
    const { inbound, codes } = lowered([all], [], { settings: { autoPassthroughGateways: allowed ?? [] } });
    expect(codes).toEqual(expected);
    expect(inbound.listeners).toHaveLength(chains);
    expect(inbound.clusters.map(({ name, transport }) => [name, transport.kind])).toEqual(
      chains === 0 ? [] : [['outbound_.8000_._.web.shop.svc.cluster.local', 'plaintext']],
    );
  });
});
