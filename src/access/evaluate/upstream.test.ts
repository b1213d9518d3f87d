import { describe, expect, test } from 'vitest';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { travel } from './travel.ts';

const pod = (name: string, address: string, annotation = ''): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: foo, labels: {app: ${name}}, annotations: {${annotation}}}
spec: {serviceAccountName: ${name}, containers: [{name: app}]}
status: {podIP: ${address}}
---
`;
const service = (name: string, address: string): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: foo}
spec: {selector: {app: ${name}}, clusterIP: ${address}, ports: [{name: http, port: 80}, {name: tcp, port: 90}]}
---
`;
const rule = (host: string): string => `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: ${host}, namespace: foo}
spec: {host: ${host}, trafficPolicy: {tls: {mode: MESH_MUTUAL}}}
---
`;
const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
${pod('curl', '10.0.0.1')}${pod('web', '10.0.0.2')}${pod('bare', '10.0.0.3', "sidecar.mesh.io/inject: 'false'")}${service('web', '10.96.0.2')}${service('bare', '10.96.0.3')}${rule('web')}${rule('bare')}`;
const passedThrough = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: web, namespace: foo}
spec:
  host: web
  trafficPolicy:
    loadBalancer: {simple: PASSTHROUGH}
    tls: {mode: MESH_MUTUAL, subjectAltNames: ["spiffe://cluster.local/ns/foo/sa/other"]}
`;
const disabled = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: web, namespace: foo}
spec: {selector: {matchLabels: {app: web}}, mtls: {mode: DISABLE}}
`;

describe('mutual TLS of a sidecar', () => {
  test.each([
    ['is ended by the proxy of the server', mesh, '10.96.0.2', 'reaches', 'reaches'],
    ['fails at a workload without a proxy', mesh, '10.96.0.3', 'answered 503', 'closed'],
    [
      'fails at a server of another identity, to which the node leads it',
      mesh.replace(rule('web'), '') + passedThrough,
      ...(['10.96.0.2', 'answered 503', 'closed'] as const),
    ],
    ['fails at a proxy that leaves it to the application', mesh + disabled, '10.96.0.2', 'answered 503', 'closed'],
  ])('%s', (_title, texts, address, http, bytes) => {
    const world = compiledWorld([texts]);
    const from = { kind: 'workload', namespace: 'foo', name: 'curl' } as const;
    const authority = address === '10.96.0.2' ? 'web' : 'bare';
    const request = { method: 'GET', path: '/', authority, headers: [] };
    const told = [
      ...travel(world, { from, to: { address, port: 80 }, protocol: 'http/1.1', request }, { now: 0 }),
      ...travel(world, { from, to: { address, port: 90 }, protocol: 'bytes' }, { now: 0 }),
    ].map(({ outcome }) => (outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.kind));
    expect(told).toEqual([http, bytes]);
  });
});
