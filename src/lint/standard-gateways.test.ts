import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { lint } from './lint.ts';
import { partialInput } from './partial-input.ts';
import { deployment, egress, service } from './testing/mesh-documents.ts';

const standard = (kind: string, name: string, spec: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;
const gateway = (className: string): string =>
  standard('Gateway', 'edge', `{gatewayClassName: ${className}, listeners: [{name: http, port: 80, protocol: HTTP}]}`);
const gatewayClass = (controller: string): string =>
  standard('GatewayClass', 'own', `{controllerName: ${controller}}`).replace(', namespace: shop', '');
const policy = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: edge, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: edge}]
  rules: [{to: [{operation: {methods: [GET]}}]}]
`;
const httpRoute = standard(
  'HTTPRoute',
  'cart',
  '{parentRefs: [{name: edge}], rules: [{backendRefs: [{name: cart, port: 80}]}]}',
);

/** Codes of the warnings, and of what was not checked. */
function told(...documents: readonly string[]): { readonly found: string[]; readonly unseen: string[] } {
  const bag = new DiagnosticBag();
  const shop = [service('cart', 'shop'), deployment('cart', 'shop')];
  const files = [{ path: 'a.yaml', text: [...shop, policy, httpRoute, ...documents].join('---\n') }];
  const objects = createObjectReader()(files, bag);
  const snapshot = createAnalyser(defaultSettings, partialInput)(objects, bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all));
  const { findings, notChecked } = lint(snapshot);
  const warnings = findings.filter(({ severity }) => severity !== 'info');
  return { found: warnings.map(({ code }) => code), unseen: notChecked.map(({ code }) => code) };
}

describe('a Gateway of the Gateway API', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['has its proxies made from its class', [gateway('istio')], ['gateway-without-workload', 'target-without-effect']],
    ['has them made beside others', [gateway('istio'), egress], ['gateway-without-workload', 'target-without-effect']],
    ['may be of a class that is kept elsewhere', [gateway('own')], ['gateway-not-served', 'target-without-effect']],
  ])('%s: a policy for it may have an effect', (_, documents, unseen) => {
    expect(told(...documents)).toEqual({ found: [], unseen: expect.arrayContaining([...unseen]) });
  });

  test('has the address of a Service that the input lacks: of a part of a mesh this is no error of its policy', () => {
    const addressed = gateway('mesh').replace('listeners:', 'addresses: [{type: Hostname, value: edge}], listeners:');
    const { found, unseen } = told(addressed);
    expect(found).toEqual(expect.arrayContaining(['gateway-not-served', 'target-without-effect']));
    expect(found).not.toContain('target-without-service');
    expect(unseen).toContain('target-without-service');
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['of a class for another controller', [gateway('own'), gatewayClass('example.com/edge')], ['gateway-not-served']],
    ['of another name than the one of the policy', [gateway('istio').replace('edge', 'edges')], []],
  ])('%s has no effect for the policy', (_, documents, more) => {
    expect(told(...documents).found).toEqual(expect.arrayContaining(['target-without-effect', ...more]));
  });
});
