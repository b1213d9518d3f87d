import { describe, expect, test } from 'vitest';
import { extensionProvider } from '../../config/extension-provider.ts';
import type { Settings } from '../../config/settings.ts';
import { compiledWorld } from '../../testing/compiled-world.ts';
import type { HttpRequest } from '../request.ts';
import { type AccessRequest, travel } from './journey.ts';

const mesh = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {app: edge}}
spec: {serviceAccountName: edge, containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.3}
---
apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec: {selector: {app: web}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: foo, labels: {app: web}}
spec: {serviceAccountName: web, containers: [{name: app}]}
status: {podIP: 10.0.0.1}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: foo}
spec:
  selector: {app: edge}
  servers:
  - {port: {number: 80, name: http, protocol: HTTP}, hosts: ["*.example.com"]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: web, namespace: foo}
spec:
  selector: {matchLabels: {app: web}}
  action: DENY
  rules:
  - to: [{operation: {paths: [/private]}}]
  - to: [{operation: {hosts: [inner.example]}}]
  - when: [{key: "request.headers[x-team]", values: [red]}]
  - when: [{key: "request.headers[x-secret]", values: ["*"]}]
  - when: [{key: "request.headers[referer]", values: ["*"]}]
  - when: [{key: "request.headers[x-envoy-attempt-count]", values: ["7"]}]
  - when: [{key: "request.headers[x-envoy-decorator-operation]", values: ["*"]}]
  - from: [{source: {notPrincipals: ["cluster.local/ns/foo/sa/edge"]}}]
---
`;

/** A mesh whose gateway has one route more. */
const routed = (route: string): string => `${mesh}apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: web, namespace: foo}
spec:
  hosts: [web.example.com]
  gateways: [edge]
  http:
  - ${route}
`;

function outcomes(
  texts: readonly string[],
  changes: Partial<HttpRequest> = {},
  more: Partial<AccessRequest> = {},
  settings: Partial<Settings> = {},
) {
  const request = { method: 'GET', path: '/', authority: 'web.example.com', headers: [], ...changes };
  const from = { kind: 'outside', address: '192.0.2.1' } as const;
  const access = { from, to: { address: '10.0.0.3', port: 80 }, protocol: 'http/1.1', request, ...more } as const;
  return travel(compiledWorld(texts, settings), access, { now: 0 }).map(({ outcome, because = [] }) => {
    const told =
      outcome.kind === 'answered' ? `${outcome.status} ${outcome.details.replace(/\[.*/, '')}` : outcome.kind;
    const grpc = outcome.kind === 'answered' && outcome.grpcStatus !== undefined ? ` grpc ${outcome.grpcStatus}` : '';
    return [told + grpc, ...because.map(({ answer }) => answer)].join(', ');
  });
}

const to = 'route: [{destination: {host: web}}]';

describe('a request to a gateway', () => {
  test.each<[what: string, route: string, changes: Partial<HttpRequest>, outcomes: readonly string[]]>([
    ['reaches the server of its route', `{${to}}`, {}, ['reaches']],
    [
      'is answered by the server if that denies it',
      `{${to}}`,
      { path: '/private' },
      ['403 rbac_access_denied_matched_policy'],
    ],
    ['finds no route for another host', `{${to}}`, { authority: 'x.example.com' }, ['404 route_not_found']],
    [
      'is judged by its rewritten path',
      `{match: [{uri: {prefix: /public}}], rewrite: {uri: /private}, ${to}}`,
      { path: '/public' },
      ['403 rbac_access_denied_matched_policy'],
    ],
    [
      'is judged by its path after a regular expression',
      `{match: [{uri: {prefix: /a}}], rewrite: {uriRegexRewrite: {match: "^/a/(.*)", rewrite: "/\\\\1"}}, ${to}}`,
      { path: '/a/private?x' },
      ['403 rbac_access_denied_matched_policy'],
    ],
    [
      'is judged by a header of its route, which wins over that of one of several destinations',
      `{headers: {request: {set: {x-team: red}}}, route: [${['1', '2'].map(
        (weight) =>
          `{destination: {host: web}, weight: ${weight}, headers: {request: {set: {x-team: blue, x-weight: "${weight}"}}}}`,
      )}]}`,
      {},
      Array(2).fill('403 rbac_access_denied_matched_policy, outbound|80||web.foo.svc.cluster.local'),
    ],
    [
      'is judged by the host of its route, which wins over that of one of several destinations',
      `{headers: {request: {set: {":authority": inner.example}}}, route: [${['1', '2'].map(
        (weight) =>
          `{destination: {host: web}, weight: ${weight}, headers: {request: {set: {":authority": x${weight}.example}}}}`,
      )}]}`,
      {},
      Array(2).fill('403 rbac_access_denied_matched_policy, outbound|80||web.foo.svc.cluster.local'),
    ],
    [
      'is judged by its rewritten host',
      `{rewrite: {authority: inner.example}, ${to}}`,
      {},
      ['403 rbac_access_denied_matched_policy'],
    ],
    [
      'is judged by a header that the route adds',
      `{headers: {request: {add: {x-team: red}}}, ${to}}`,
      {},
      ['403 rbac_access_denied_matched_policy'],
    ],
    [
      'is judged without a header that the route removes',
      `{headers: {request: {remove: [x-secret]}}, ${to}}`,
      { headers: [['X-Secret', 'a']] },
      ['reaches'],
    ],
    [
      'is judged by a referer that the route sets',
      `{headers: {request: {set: {referer: "https://a/"}}}, ${to}}`,
      {},
      ['403 rbac_access_denied_matched_policy'],
    ],
    [
      'is judged without a referer that the next proxy removes',
      `{headers: {request: {set: {referer: "https://user@a/"}}}, ${to}}`,
      {},
      ['reaches'],
    ],
    [
      'is not known where only the proxy knows the referer',
      `{headers: {request: {set: {referer: "%REQ(x-a)%"}}}, ${to}}`,
      {},
      ['unmodelled'],
    ],
    [
      'has been tried once, whatever its client says',
      `{${to}}`,
      { headers: [['x-envoy-attempt-count', '7']] },
      ['reaches'],
    ],
    [
      'is judged by the number of tries that its route sets',
      `{headers: {request: {set: {x-envoy-attempt-count: "7"}}}, ${to}}`,
      {},
      ['403 rbac_access_denied_matched_policy'],
    ],
    [
      'is judged without the name of a span, which the next proxy takes',
      `{headers: {request: {set: {x-envoy-decorator-operation: a}}}, ${to}}`,
      {},
      ['reaches'],
    ],
    [
      'is not known where the answer depends on a type that only the proxy knows',
      `{headers: {request: {set: {content-type: "%REQ(x-a)%"}}}, ${to}}`,
      { path: '/private' },
      ['unmodelled'],
    ],
    ['is redirected', '{redirect: {uri: /x, redirectCode: 308}}', {}, ['308 direct_response']],
    ['is answered by its route', '{directResponse: {status: 418}}', {}, ['418 direct_response']],
    [
      'may meet a fault of half of all requests',
      `{fault: {abort: {httpStatus: 503, percentage: {value: 50}}}, ${to}}`,
      {},
      ['503 fault_filter_abort, injected', 'reaches, passed'],
    ],
    [
      'meets a fault of all requests',
      `{fault: {abort: {httpStatus: 503, percentage: {value: 100}}}, ${to}}`,
      {},
      ['503 fault_filter_abort'],
    ],
    [
      'meets no fault that only delays',
      `{fault: {delay: {fixedDelay: 1s, percentage: {value: 100}}}, ${to}}`,
      {},
      ['reaches'],
    ],
    [
      'gets a gRPC status if it is of gRPC',
      `{fault: {abort: {httpStatus: 503, percentage: {value: 100}}}, ${to}}`,
      { headers: [['content-type', 'application/grpc']] },
      ['200 fault_filter_abort grpc 14'],
    ],
    [
      'is a preflight that Envoy answers',
      `{corsPolicy: {allowOrigins: [{exact: "https://a"}]}, ${to}}`,
      {
        method: 'OPTIONS',
        headers: [
          ['origin', 'https://b'],
          ['access-control-request-method', 'GET'],
        ],
      },
      ['200 cors_response'],
    ],
    [
      'is no preflight without the method that it asks for',
      `{corsPolicy: {allowOrigins: [{exact: "https://a"}]}, ${to}}`,
      { method: 'OPTIONS', headers: [['origin', 'https://a']] },
      ['reaches'],
    ],
    [
      'is not known where it asks for a value that only the proxy has',
      `{match: [{headers: {x-request-id: {regex: ".+"}}}], ${to}}`,
      {},
      ['unmodelled'],
    ],
  ])('%s', (_, route, changes, expected) => {
    expect(outcomes([routed(route)], changes)).toEqual(expected);
  });

  test.each<[what: string, path: string, authority: string, types: readonly string[], outcome: string]>([
    [
      'is one of gRPC to the server',
      '/private',
      'web.example.com',
      ['application/grpc-web'],
      '200 rbac_access_denied_matched_policy grpc 7',
    ],
    ['is none of gRPC to the gateway itself', '/', 'x.example.com', ['application/grpc-web'], '404 route_not_found'],
    [
      'with another type beside it is none of gRPC',
      '/private',
      'web.example.com',
      ['application/grpc-web', 'a'],
      '403 rbac_access_denied_matched_policy',
    ],
    [
      'of gRPC with another type beside it is none of gRPC',
      '/private',
      'web.example.com',
      ['application/grpc', 'a'],
      '403 rbac_access_denied_matched_policy',
    ],
    [
      'of a kind of gRPC with another type behind it is one of gRPC',
      '/private',
      'web.example.com',
      ['application/grpc+proto', 'a'],
      '200 rbac_access_denied_matched_policy grpc 7',
    ],
  ])('of gRPC-Web %s', (_, path, authority, types, outcome) => {
    const gateway = routed(`{${to}}`).replace('protocol: HTTP}', 'protocol: GRPC-WEB}');
    const headers = types.map((type) => ['content-type', type] as const);
    expect(outcomes([gateway], { method: 'POST', path, authority, headers })).toEqual([outcome]);
  });

  test('is refused with a header whose name has an underscore', () => {
    expect(outcomes([routed(`{${to}}`)], { headers: [['x_team', 'a']] })).toEqual(['400 http1.unexpected_underscore']);
  });
});

describe('an external authorizer', () => {
  const provider = { name: 'opa', envoyExtAuthzHttp: { service: 'opa.foo.svc.cluster.local', port: 80 } };
  const settings = { extensionProviders: [extensionProvider(provider)] };
  const texts = [
    routed(`{${to}}`),
    `apiVersion: v1
kind: Service
metadata: {name: opa, namespace: foo}
spec: {clusterIP: 10.96.0.2, ports: [{name: http, port: 80}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ask, namespace: foo}
spec:
  selector: {matchLabels: {app: edge}}
  action: CUSTOM
  provider: {name: ${provider.name}}
  rules: [{to: [{operation: {paths: [/asked]}}]}]
`,
  ];
  const ask = (path: string, authorizer?: AccessRequest['authorizer']) =>
    outcomes(texts, { path }, authorizer === undefined ? {} : { authorizer }, settings);

  test('is asked about requests of its policies alone, and each of its answers is a way', () => {
    expect(ask('/other')).toEqual(['reaches']);
    expect(ask('/asked')).toEqual(['reaches, allow', '403 ext_authz_denied, deny', '403 ext_authz_error, away']);
  });

  test.each([
    ['allow', 'reaches'],
    ['deny', '403 ext_authz_denied'],
    ['away', '403 ext_authz_error'],
  ] as const)('gives one way if its answer is known to be %s', (authorizer, outcome) => {
    expect(ask('/asked', authorizer)).toEqual([outcome]);
  });
});
