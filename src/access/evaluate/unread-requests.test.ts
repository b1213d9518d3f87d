import { describe, expect, test } from 'vitest';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { travel } from './journey.ts';

const pod = (name: string, address: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: foo, labels: {app: ${name}}}
spec: {serviceAccountName: ${name}, containers: [{name: app}]}
status: {podIP: ${address}}
---
`;
const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec: {selector: {app: web}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80, targetPort: 8080}]}
---
${pod('web', '10.0.0.1')}${pod('curl', '10.0.0.2')}`;

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
    const ways = travel(compiledWorld([mesh, policy]), { from, to, protocol: 'http/1.1', request }, { now: 0 });
    const told = ways.map(({ outcome }) => (outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.kind));
    expect(told).toEqual([expected]);
    expect(ways.map(({ legs }) => legs.map(({ side }) => side))).toEqual([['client', 'server']]);
  });
});
