import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { createObjectReader } from './read-objects.ts';

const text = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: shop}
spec: {parentRefs: [{name: edge}], rules: [{}]}
---
apiVersion: gateway.networking.k8s.io/v1alpha2
kind: TCPRoute
metadata: {name: web, namespace: shop}
spec: {anything: true}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {ports: [{name: http, port: 80}]}
`;

describe('createObjectReader', () => {
  test('skips and counts every object of the Gateway API where it is told to, and else reads or refuses it', () => {
    const read = (skipsGatewayApi?: boolean) => {
      const bag = new DiagnosticBag();
      const objects = createObjectReader({ skipsGatewayApi })([{ path: 'a.yaml', text }], bag);
      return {
        kinds: objects.map(({ kind }) => kind),
        told: bag.all.map(({ code, message }) => `${code}: ${message}`),
      };
    };
    expect(read(true)).toEqual({
      kinds: ['Service'],
      told: ['skipped-kinds: skipped 2 objects of other kinds: HTTPRoute (1), TCPRoute (1)'],
    });
    expect(read()).toEqual({
      kinds: ['HTTPRoute', 'Service'],
      told: ['unsupported-kind-of-group: kind TCPRoute of gateway.networking.k8s.io is not supported'],
    });
  });

  test.each([
    ['kind: PeerAuthentication', ['unknown-api-group']],
    ['kind: RequestAuthentication', ['unknown-api-group']],
    ['kind: DestinationRule', ['unknown-api-group']],
    ['items: []', ['missing-field']],
    ['kind: [HTTPRoute]', ['wrong-type']],
  ])('refuses "%s" of that group also where its objects are skipped', (line, codes) => {
    const bag = new DiagnosticBag();
    const of = `apiVersion: gateway.networking.k8s.io/v1\n${line}\nmetadata: {name: web, namespace: shop}\nspec: {}\n`;
    createObjectReader({ skipsGatewayApi: true })([{ path: 'a.yaml', text: of }], bag);
    expect(bag.all.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(codes);
  });

  test('refuses a policy that is bound to a Gateway where Gateways are skipped', () => {
    const bound = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: edge, namespace: shop}
spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: edge}, rules: [{}]}
`;
    const read = (skipsGatewayApi: boolean) => {
      const bag = new DiagnosticBag();
      const objects = createObjectReader({ skipsGatewayApi })([{ path: 'a.yaml', text: bound }], bag);
      return [objects.length, ...bag.all.map(({ code }) => code)];
    };
    expect([read(true), read(false)]).toEqual([[0, 'unsupported-field'], [1]]);
  });
});
