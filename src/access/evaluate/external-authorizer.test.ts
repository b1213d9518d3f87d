import { describe, expect, test } from 'vitest';
import { extensionProvider } from '../../config/extension-provider.ts';
import { outcomes, routed, to } from '../../testing/routed-gateway.ts';
import type { AccessRequest } from './access-request.ts';

describe('an external authorizer', () => {
  const provider = { name: 'opa', envoyExtAuthzHttp: { service: 'opa.foo.svc.cluster.local', port: 80 } };
  const settings = { extensionProviders: [extensionProvider(provider)] };
  const texts = [
    routed(`{${to}}`),
    `apiVersion: v1
kind: Service
metadata: {name: opa, namespace: foo}
spec: {clusterIP: 10.96.0.2, ports: [{name: http, port: 80}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ask, namespace: foo}
spec:
  selector: {matchLabels: {app: edge}}
  action: CUSTOM
  provider: {name: ${provider.name}}
  rules: [{to: [{operation: {paths: [/asked]}}]}]
`,
  ];
  const ask = (path: string, authorizer?: AccessRequest['authorizer']) =>
    outcomes(texts, { path }, authorizer === undefined ? {} : { authorizer }, settings);

  test('is asked about requests of its policies alone, and each of its answers is a way', () => {
    expect(ask('/other')).toEqual(['reaches']);
    expect(ask('/asked')).toEqual(['reaches, allow', '403 ext_authz_denied, deny', '403 ext_authz_error, away']);
  });

  test.each([
    ['allow', 'reaches'],
    ['deny', '403 ext_authz_denied'],
    ['away', '403 ext_authz_error'],
  ] as const)('gives one way if its answer is known to be %s', (authorizer, outcome) => {
    expect(ask('/asked', authorizer)).toEqual([outcome]);
  });
});
