import { expect, test } from 'vitest';
import { outcomes, routed, to } from '../../testing/routed-gateway.ts';

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
])('a request of gRPC-Web %s', (_, path, authority, types, outcome) => {
  const gateway = routed(`{${to}}`).replace('protocol: HTTP}', 'protocol: GRPC-WEB}');
  const headers = types.map((type) => ['content-type', type] as const);
  expect(outcomes([gateway], { method: 'POST', path, authority, headers })).toEqual([outcome]);
});
