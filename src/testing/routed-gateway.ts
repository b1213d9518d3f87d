import type { AccessRequest } from '../access/evaluate/access-request.ts';
import { travel } from '../access/evaluate/travel.ts';
import type { HttpRequest } from '../access/request.ts';
import type { Settings } from '../config/settings.ts';
import { compiledWorld } from './compiled-world.ts';

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

/** A mesh whose gateway has one route more, of the host `web.example.com`. */
export const routed = (route: string): string => `${mesh}apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: web, namespace: foo}
spec:
  hosts: [web.example.com]
  gateways: [edge]
  http:
  - ${route}
`;

/** What a request to the gateway comes to, one a way: the answer in short, and what it depends on. */
export function outcomes(
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

/** The part of a route that leads to the server. */
export const to = 'route: [{destination: {host: web}}]';
