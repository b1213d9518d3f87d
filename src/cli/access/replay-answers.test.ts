import { describe, expect, test } from 'vitest';
import { replayBench } from './testing/replay-bench.ts';
import { delivered } from './testing/replayed-shop.ts';

describe('meshpol replay', () => {
  const { verdictOf } = replayBench();

  test.each([
    ['a redirect to another path', 'redirect: {uri: /a}', 'redirect: {uri: /b}', 301],
    [
      'another body',
      'directResponse: {status: 200, body: {string: a}}',
      'directResponse: {status: 200, body: {string: b}}',
      200,
    ],
  ])('calls %s another answer', async (_, before, after, status) => {
    const routes = (answer: string): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: cart, namespace: shop}
spec: {hosts: [cart], http: [{${answer}}]}
`;
    const line = {
      ...{ ...delivered, response_code: status, response_code_details: 'direct_response', upstream_host: null },
      ...{ downstream_local_address: '10.96.0.1:80', downstream_remote_address: '10.0.0.2:4000' },
      ...{ requested_server_name: null, downstream_peer_uri_san: null, upstream_cluster: null },
    };
    expect(await verdictOf(routes(before), routes(before), line)).toBe('same');
    expect(await verdictOf(routes(before), routes(after), line)).toBe('changed');
  });
});
