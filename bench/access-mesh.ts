import type { SourceFile } from '../src/source/document.ts';

/** One workload, `a/httpbin`, with an HTTP port. */
export const accessMesh: SourceFile = {
  path: 'mesh.yaml',
  text: `apiVersion: v1
kind: Namespace
metadata: {name: a, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: a}
spec: {clusterIP: 10.96.0.9, selector: {app: httpbin}, ports: [{port: 80, name: http, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: a, labels: {app: httpbin}}
spec: {containers: [{name: app}]}
status: {phase: Running, podIP: 10.1.0.9}
`,
};

/** `count` rules of DENY, ten a policy, each with a caller, a method and a path: none holds for GET /. */
export function denyRules(count: number): SourceFile {
  const policies = Array.from({ length: Math.ceil(count / 10) }, (_, p) => {
    const rules = Array.from({ length: Math.min(10, count - p * 10) }, (_, r) => denyRule(p * 10 + r));
    return `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: deny-${p}, namespace: a}
spec:
  selector: {matchLabels: {app: httpbin}}
  action: DENY
  rules:
${rules.join('')}`;
  });
  return { path: 'rules.yaml', text: policies.join('---\n') };
}

function denyRule(n: number): string {
  return `  - from:
    - source: {namespaces: [tenant-${n}]}
    - source: {notPrincipals: [cluster.local/ns/tenant-${n}/sa/caller]}
    to:
    - operation: {methods: [GET, POST], paths: [/tenants/${n}/*, /reports/${n}]}
`;
}

/** One rule an issuer, with the issuer's keys in it. */
export function tokenRules(issuers: readonly { readonly name: string; readonly jwks: string }[]): SourceFile {
  const rules = issuers.map(({ name, jwks }) => `  - issuer: ${name}\n    jwks: '${jwks}'\n`);
  const text = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: a}
spec:
  selector: {matchLabels: {app: httpbin}}
  jwtRules:
${rules.join('')}`;
  return { path: 'tokens.yaml', text };
}
