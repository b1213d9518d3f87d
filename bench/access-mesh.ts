import type { SourceFile } from '../src/source/document.ts';
import { httpbinMesh } from '../src/testing/mesh-texts.ts';

/** One workload, `a/httpbin`, with an HTTP port. */
export const accessMesh: SourceFile = {
  path: 'mesh.yaml',
  text: httpbinMesh,
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
