import { describe, expect, test } from 'vitest';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { twoSidecars } from '../../testing/two-sidecars.ts';
import { travel } from './travel.ts';

const access = (action: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: headers, namespace: foo}
spec: {action: ${action}, rules: [{to: [{operation: {paths: [/headers]}}]}]}
`;
const strict = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: all, namespace: foo}
spec: {mtls: {mode: STRICT}}
`;

describe('a request that the proxy of its client forwards as bytes', () => {
  test.each([
    ['is read by the proxy of the server', access('DENY'), 'answered 403'],
    ['meets the access rules for requests', access('ALLOW'), 'reaches'],
    ['ends without an answer where only mutual TLS is accepted', strict, 'closed'],
  ])('%s', (_title, policy, expected) => {
    const request = { method: 'GET', path: '/headers', authority: 'any', headers: [] };
    const from = { kind: 'workload', namespace: 'foo', name: 'curl' } as const;
    // No service has this port, so that the client's sidecar has no listener for it.
    const to = { address: '10.0.0.1', port: 8080 };
    const ways = travel(compiledWorld([twoSidecars, policy]), { from, to, protocol: 'http/1.1', request }, { now: 0 });
    const told = ways.map(({ outcome }) => (outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.kind));
    expect(told).toEqual([expected]);
    expect(ways.map(({ legs }) => legs.map(({ side }) => side))).toEqual([['client', 'server']]);
  });
});
