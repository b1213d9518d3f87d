import { describe, expect, test } from 'vitest';
import { outcomes, routed, to } from '../../testing/routed-gateway.ts';
import type { HttpRequest } from '../request.ts';

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

  test('is refused with a header whose name has an underscore', () => {
    expect(outcomes([routed(`{${to}}`)], { headers: [['x_team', 'a']] })).toEqual(['400 http1.unexpected_underscore']);
  });
});
