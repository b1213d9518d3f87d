import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../../compiler/analyse.ts';
import { createObjectReader } from '../../compiler/read-objects.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { hintsOf } from '../testing/hints.ts';

describe('the hint of a finding about routes and services', () => {
  test.each([
    [
      ['ingress', 'ingress'],
      'did you mean the value "ingress"? The gateway workloads of the input have this label with that value',
    ],
    [['ingress', 'egress'], 'label the pods of the gateway as its selector says'],
  ])('of a Gateway that no workload serves names the one value of gateway workloads: %s', (labels, hint) => {
    const gateway = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: a, namespace: shop}
spec: {selector: {mesh: ingressgateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
`;
    const pods = labels.map(
      (label, i) => `apiVersion: v1
kind: Pod
metadata:
  name: gateway-${i}
  namespace: edge
  labels: {mesh: ${label}, sidecar.mesh.io/inject: "true"}
  annotations: {inject.mesh.io/templates: gateway}
spec: {containers: [{name: proxy, image: auto}]}
`,
    );
    expect(hintsOf('gateway-without-workload', 'cluster.local', gateway, ...pods)).toEqual([hint]);
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
