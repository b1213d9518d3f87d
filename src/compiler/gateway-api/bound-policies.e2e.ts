import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StandardGates, startStandardGates } from './testing/standard-gates.ts';
import { gateway, listener, route, to } from './testing/standard-objects.ts';

const edge = '{group: gateway.networking.k8s.io, kind: Gateway, name: edge}';
const open = gateway(listener('http')) + route('infra/all', [`{${to('v1')}}`]);

const policy = (kind: string, spec: string, namespace = 'infra'): string => `---
apiVersion: security.mesh.io/v1
kind: ${kind}
metadata: {name: bound, namespace: ${namespace}}
spec: {${spec}}
`;

const keys =
  '{"keys":[{"kid":"a","kty":"EC","x":"8hqlAZloVnSJ4T-Lj2OkS3bZ5aaA6GmPLnFtxaUy8aQ","y":"WkApoDmnCOjXc6FFm0mznm37cQadn9rDlQwClWlwSwE","crv":"P-256"}]}';

/** Policies that are bound to the Gateway `infra/edge`, or to others. */
const objects = {
  allowed: `${open}${policy('AuthorizationPolicy', `targetRefs: [${edge}], rules: [{to: [{operation: {paths: [/open]}}]}]`)}`,
  denied: `${open}${policy('AuthorizationPolicy', `targetRef: ${edge}, action: DENY, rules: [{to: [{operation: {paths: [/shut]}}]}]`)}`,
  tokens: `${open}${policy('RequestAuthentication', `targetRefs: [${edge}], jwtRules: [{issuer: "https://issuer.example.com", jwks: '${keys}'}]`)}`,
  'of another Gateway': `${open}${policy('AuthorizationPolicy', `targetRefs: [${edge.replace('edge', 'other')}]`)}`,
  'of another namespace': `${open}${policy('AuthorizationPolicy', `targetRefs: [${edge}]`, 'web')}`,
  'of the root namespace': `${open}${policy('AuthorizationPolicy', `targetRefs: [${edge}]`, 'mesh-system')}`,
  'without the Gateway': policy(
    'AuthorizationPolicy',
    `targetRefs: [${edge}], action: DENY, rules: [{to: [{operation: {paths: [/shut]}}]}]`,
  ).replace(
    '---\n',
    `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: own, namespace: infra}
spec: {selector: {gateway.networking.k8s.io/gateway-name: edge}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: own, namespace: infra}
spec: {hosts: ["*"], gateways: [own], http: [{route: [{destination: {host: v1, port: {number: 8080}}}]}]}
---
`,
  ),
} as const;

let gates: StandardGates;

beforeAll(async () => {
  gates = await startStandardGates(objects);
});

afterAll(() => gates?.close());

describe('a policy that is bound to a Gateway', () => {
  test.each([
    ['allowed', '/open', 200],
    ['allowed', '/other', 403],
    ['denied', '/shut', 403],
    ['denied', '/other', 200],
    ['of another Gateway', '/', 200],
    ['of another namespace', '/', 200],
    ['of the root namespace', '/', 200],
    ['without the Gateway', '/shut', 403],
    ['without the Gateway', '/other', 200],
    ['tokens', '/', 200],
  ] as const)('of the objects "%s" answers a request for %s with %i', async (name, path, status) => {
    expect((await gates.send(name, { path })).status).toBe(status);
  });

  test('refuses a bad token', async () => {
    const headers = { authorization: 'Bearer bad' };
    expect((await gates.send('tokens', { path: '/', headers })).status).toBe(401);
  });
});
