import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../../compiler/analyse.ts';
import { createObjectReader } from '../../compiler/read-objects.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { hintsOf, policy } from '../testing/hints.ts';
import { gatewayOf, named, networking, podOf, routeTo, servicesFor } from '../testing/routing-objects.ts';

describe('the hint of a finding about routes and services', () => {
  test.each([
    ['destination', 'unknown-destination', routeTo('edge', 'reviews')],
    ['host of a rule', 'unknown-host', named('DestinationRule', networking, 'a', '{host: reviews, subsets: []}')],
  ])('of an unknown %s names the one service with more words', (_, code, object) => {
    const hintFor = (...services: readonly string[]): string | undefined => {
      const bag = new DiagnosticBag();
      const text = [...servicesFor(...services), gatewayOf('edge'), object].join('---\n');
      createAnalyser(defaultSettings)(createObjectReader()([{ path: 'a.yaml', text }], bag), bag);
      return bag.all.find((it) => it.code === code)?.hint;
    };
    expect(hintFor('shop-reviews', 'cart')).toBe('did you mean "shop-reviews.shop.svc.cluster.local"?');
    expect(hintFor('shop-reviews', 'old-reviews')).not.toMatch(/did you mean/);
  });

  test.each([
    ['mirror', '[{route: [{destination: {host: pay}}], mirror: {host: pay-shadow}}]', false],
    ['canary', '[{route: [{destination: {host: pay}, weight: 90}, {destination: {host: pay-v2}, weight: 10}]}]', false],
    ['route', '[{route: [{destination: {host: pay}}]}, {route: [{destination: {host: pay-v2}}]}]', true],
    ['mirror', '[{route: [{destination: {host: pay}}], mirror: {host: cartt}}]', true],
  ])('of the unknown destination of a %s names no other destination of its route: %s', (_, http, isNamed) => {
    const bag = new DiagnosticBag();
    const routes = named('VirtualService', networking, 'a', `{hosts: [pay], http: ${http}}`);
    const text = [...servicesFor('pay', 'cart'), routes].join('---\n');
    createAnalyser(defaultSettings)(createObjectReader()([{ path: 'a.yaml', text }], bag), bag);
    const hints = bag.all.filter(({ code }) => code === 'unknown-destination').map(({ hint }) => hint);
    expect(hints).toEqual([expect.stringMatching(isNamed ? /^did you mean "/ : /^write the full name/)]);
  });

  test.each([
    ['host-without-service', 'http'],
    ['connections-without-service', 'tcp'],
  ])('of a host that no service has, %s, names the near one', (code, kind) => {
    const hintFor = (host: string, service = 'catalog') =>
      hintsOf(
        code,
        'cluster.local',
        ...servicesFor(service),
        named(
          'VirtualService',
          networking,
          'a',
          `{hosts: [${host}], ${kind}: [{route: [{destination: {host: ${service}}}]}]}`,
        ),
      );
    expect(hintFor('catalg')).toEqual(['did you mean "catalog.shop.svc.cluster.local"?']);
    expect(hintFor('payments')).toEqual([expect.stringMatching(/by a ServiceEntry$/)]);
    expect(hintFor('catalog.shop')).toEqual(['did you mean "catalog.shop.svc.cluster.local"?']);
    expect(hintFor('catalog.shop.svc')).toEqual(['did you mean "catalog.shop.svc.cluster.local"?']);
    expect(hintFor('catalog, catalog.shop, catalog.shop.svc')).toEqual([]);
    expect(hintFor('catalog, catalog.shops')).toHaveLength(1);
    expect(hintFor('cata', 'cata-service')).toEqual(['did you mean "cata-service.shop.svc.cluster.local"?']);
  });

  test('of mutual TLS for a port that no service targets proposes no other port', () => {
    const peer = named(
      'PeerAuthentication',
      'security.mesh.io/v1',
      'a',
      '{selector: {matchLabels: {app: cart}}, mtls: {mode: STRICT}, portLevelMtls: {5000: {mode: DISABLE}}}',
    );
    const pod = podOf('cart', 'app: cart');
    expect(hintsOf('port-without-service', 'cluster.local', ...servicesFor('cart'), pod, peer)).toEqual([
      'if this is the container port that is meant, add it to a Service of the workload, so that the entry takes effect',
    ]);
  });

  test.each([
    ['Service', 'service-without-endpoints', servicesFor('application')[0] ?? ''],
    [
      'policy',
      'selector-without-workload',
      policy('a', '{selector: {matchLabels: {app: application}}, rules: [{to: [{operation: {methods: [GET]}}]}]}'),
    ],
    [
      'Sidecar',
      'selector-without-workload',
      named('Sidecar', networking, 'a', '{workloadSelector: {labels: {app: application}}, egress: [{hosts: ["*/*"]}]}'),
    ],
  ])('of a %s that selects no workload names the values that the label has', (_, code, object) => {
    expect(hintsOf(code, 'cluster.local', podOf('a', 'app: api'), podOf('b', 'app: web'), object)).toEqual([
      expect.stringMatching(/^correct the selector \(in namespace "shop", "app" is "api", "web"\), or add /),
    ]);
  });

  test.each([
    ['hostNetwork: true', /^no proxy is injected into pods with the network of their node: remove hostNetwork/],
    ['hostNetwork: false', /^label the namespace/],
  ])('of a Sidecar and a policy for pods with %s names why they have no proxy', (rest, hint) => {
    const pod = podOf('a', 'app: api', `, ${rest}`).replace(', sidecar.mesh.io/inject: "true"', '');
    const sidecar = named(
      'Sidecar',
      networking,
      'a',
      '{workloadSelector: {labels: {app: api}}, egress: [{hosts: ["*/*"]}]}',
    );
    const strict = policy('a', '{selector: {matchLabels: {app: api}}, rules: [{to: [{operation: {methods: [GET]}}]}]}');
    expect(hintsOf('policy-in-force-nowhere', 'cluster.local', pod, sidecar, strict)).toEqual([
      expect.stringMatching(hint),
      expect.stringMatching(hint),
    ]);
  });

  test('of a rule for a service of another namespace tells to move it there, but from the root namespace', () => {
    const service = `apiVersion: v1
kind: Service
metadata: {name: reviews, namespace: books}
spec: {selector: {app: reviews}, ports: [{name: http, port: 80}]}
`;
    const rule = (namespace: string, group = 'mesh') => `apiVersion: networking.${group}.io/v1
kind: DestinationRule
metadata: {name: a, namespace: ${namespace}}
spec: {host: reviews, trafficPolicy: {connectionPool: {tcp: {maxConnections: 1}}}}
`;
    const hints = ['config', 'mesh-system'].flatMap((namespace) =>
      hintsOf('host-of-other-namespace', 'cluster.local', service, rule(namespace)),
    );
    expect(hints).toEqual([
      expect.stringMatching(/^move the rule to namespace "books"/),
      'write "reviews.books.svc.cluster.local" if that service is meant',
    ]);
    // An object of the original in its own root namespace is for the clients of all namespaces, without a policy beside it.
    expect(hintsOf('host-of-other-namespace', 'cluster.local', service, rule('istio-system', 'istio'))).toEqual([
      'write "reviews.books.svc.cluster.local" if that service is meant',
    ]);
  });

  const store = (kind: string) =>
    kind === 'Service'
      ? 'apiVersion: v1\nkind: Service\nmetadata: {name: b, namespace: shop}\nspec: {selector: {app: b}, ports: [{name: http, port: 80, targetPort: 8080}, {name: grpc, port: 50051}]}\n'
      : 'apiVersion: networking.mesh.io/v1\nkind: ServiceEntry\nmetadata: {name: b, namespace: shop}\nspec: {hosts: [b.shop.svc.cluster.local], resolution: DNS, ports: [{number: 443, name: tls, protocol: TLS, targetPort: 8443}]}\n';
  test.each([
    ['Service', 8080, 'write 80: 8080 is the port behind it'],
    ['Service', 5051, 'did you mean 50051?'],
    ['Service', 7, 'write the "port" of one of the ports of the Service'],
    ['ServiceEntry', 8443, 'write 443: 8443 is the port behind it'],
    ['ServiceEntry', 9, 'write 443, its only port'],
  ])('of a port that a %s has not, %d, names the one that is meant', (kind, port, hint) => {
    const routes = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: shop}
spec: {hosts: [b], http: [{route: [{destination: {host: b.shop.svc.cluster.local, port: {number: ${port}}}}]}]}
`;
    const bag = new DiagnosticBag();
    const files = [{ path: 'a.yaml', text: [store(kind), routes].join('---\n') }];
    createAnalyser(defaultSettings)(createObjectReader()(files, bag), bag);
    expect(bag.all.filter(({ code }) => code === 'unknown-destination-port').map((it) => it.hint)).toEqual([hint]);
  });

  test.each([
    ['timeout: 2s, retries: {attempts: 5, perTryTimeout: 3s}', '18s (6 tries of 3s), or "perTryTimeout" at most 333ms'],
    ['timeout: 3s, retries: {perTryTimeout: 3s}', '9s (3 tries of 3s), or "perTryTimeout" at most 1s'],
  ])('of {%s} names both repairs with their values', (route, values) => {
    const routes = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: shop}
spec: {hosts: [b], http: [{${route}, route: [{destination: {host: b}}]}]}
`;
    expect(hintsOf('try-longer-than-timeout', 'cluster.local', store('Service'), routes)).toEqual([
      `let "timeout" be at least ${values}`,
    ]);
  });

  test.each([
    [1, 'write "b-0.shop.svc.cluster.local", the only service of that namespace in the inputs, if it is meant'],
    [2, 'correct the name or its namespace, or add the service to the inputs'],
  ])('of a rule for an unknown host of a namespace with %d services names the only one', (count, hint) => {
    const services = Array.from(
      { length: count },
      (_, i) => `apiVersion: v1
kind: Service
metadata: {name: b-${i}, namespace: shop}
spec: {selector: {app: b}, ports: [{name: http, port: 80}]}
`,
    );
    const rule = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: shop}
spec: {host: checkout.shop.svc.cluster.local, trafficPolicy: {connectionPool: {tcp: {maxConnections: 1}}}}
`;
    expect(hintsOf('unknown-host', 'cluster.local', ...services, rule)).toEqual([hint]);
  });

  test.each([
    ['uri: {prefix: /api/*}', 'write prefix: "/api/"'],
    ['uri: {exact: "/*"}', 'write prefix: "/"'],
    ['uri: {exact: "/a.b/*/c"}', String.raw`write regex: '/a\.b/[^/]+/c'`],
    ['authority: {exact: "*"}', 'remove "authority": without it every host matches'],
    ['authority: {exact: "*.example.com"}', String.raw`write regex: '.+\.example\.com'`],
  ])('replaces the star in {%s} by the match that is meant', (match, hint) => {
    const routes = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: shop}
spec: {hosts: [b], http: [{match: [{${match}}], route: [{destination: {host: b}}]}]}
`;
    expect(hintsOf('literal-star-in-match', 'cluster.local', store('Service'), routes)).toEqual([hint]);
  });

  test.each([
    ['shop.example.com', 'write "https://shop.example.com"'],
    ['localhost:3000', 'write "http://localhost:3000"'],
    ['https://shop.example.com:443/', 'write "https://shop.example.com"'],
    ['*.example.com', String.raw`write regex: 'https?://[^/]+\.example\.com'`],
  ])('of the origin %s writes the one that browsers send', (origin, hint) => {
    const routes = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: shop}
spec: {hosts: [b], http: [{corsPolicy: {allowOrigins: [{exact: "${origin}"}]}, route: [{destination: {host: b}}]}]}
`;
    expect(hintsOf('origin-of-no-page', 'cluster.local', store('Service'), routes)).toEqual([hint]);
  });

  test('of a subset that is not declared names the one that begins so', () => {
    const text = `apiVersion: v1
kind: Service
metadata: {name: b, namespace: shop}
spec: {selector: {app: b}, ports: [{name: http, port: 80}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: shop}
spec: {hosts: [b], http: [{route: [{destination: {host: b, subset: v2}}]}]}
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: shop}
spec: {host: b, subsets: [{name: v1, labels: {v: "1"}}, {name: v2-canary, labels: {v: "2"}}]}
`;
    expect(hintsOf('subset-not-declared', 'cluster.local', text)).toEqual([expect.stringContaining('"v2-canary"')]);
  });
});
