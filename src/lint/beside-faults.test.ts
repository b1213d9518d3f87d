import { expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { LintResult } from './lint.ts';
import { lintTexts } from './lint-texts.ts';
import { allRules } from './rule-index.ts';

const object = (kind: string, group: string, name: string, spec: string): string =>
  `apiVersion: ${group}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: shop}\nspec: ${spec}\n`;
const security = 'security.mesh.io/v1';
const networking = 'networking.mesh.io/v1';
const pods = [
  object('Service', 'v1', 'cart', '{selector: {app: cart}, ports: [{name: http, port: 80, targetPort: 8080}]}'),
  'apiVersion: v1\nkind: Pod\nmetadata: {name: cart, namespace: shop, labels: {app: cart}}\nspec: {containers: [{name: cart}]}\n',
];
const faulty = (kind: string, group = networking): string => object(kind, group, 'faulty', '{surprise: 1}');

/** Codes of what is found beside the errors of one input. */
function foundIn(...documents: readonly string[]): readonly string[] {
  return resultOf(...documents).findings.flatMap(({ code, severity }) => (severity === 'warning' ? [code] : []));
}

function resultOf(...documents: readonly string[]): LintResult {
  const run = lintTexts(
    {
      inputs: [{ path: 'a.yaml', text: documents.join('---\n') }],
      ...{ sources: [], settings: defaultSettings, rules: allRules, today: '2026-06-30' },
      project: { config: {}, pathOf: (file) => file },
    },
    new DiagnosticBag(),
  );
  expect(run.isFaulty).toBe(true);
  return run.result;
}

const route = object(
  'VirtualService',
  networking,
  'route',
  '{hosts: [cart], http: [{route: [{destination: {host: crat}}]}]}',
);
const bound = route.replace('hosts: [cart]', 'hosts: [a.example], gateways: [edge]').replace('crat', 'cart');
const internal = object(
  'Gateway',
  networking,
  'internal',
  '{selector: {app: cart}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}',
);
const selecting = object('AuthorizationPolicy', security, 'a', '{selector: {matchLabels: {app: carts}}, rules: []}');

const ofToken = object(
  'AuthorizationPolicy',
  security,
  'token',
  '{selector: {matchLabels: {app: cart}}, rules: [{from: [{source: {requestPrincipals: ["*"]}}]}]}',
);
const ofNamespace = object(
  'AuthorizationPolicy',
  security,
  'of-namespace',
  '{rules: [{from: [{source: {namespaces: [shopp]}}]}]}',
);
const plain = object('PeerAuthentication', security, 'plain', '{mtls: {mode: DISABLE}}');
const patch = object('EnvoyFilter', 'networking.istio.io/v1alpha3', 'faulty', '{configPatches: []}');
const halves = object(
  'AuthorizationPolicy',
  security,
  'halves',
  '{rules: [{from: [{source: {namespaces: [shop]}}]}, {to: [{operation: {methods: [GET]}}]}]}',
);

test.each([
  [
    'a source namespace of an access rule',
    [ofNamespace, faulty('AuthorizationPolicy', security)],
    'unknown-source-namespace',
  ],
  ['a namespace beside an EnvoyFilter', [ofNamespace, patch], 'unknown-source-namespace'],
  ['an identity without mutual TLS', [ofNamespace, plain, patch], 'identity-without-mutual-tls'],
  ['a rule in two halves', [halves, faulty('ServiceEntry')], 'rule-in-two-halves'],
  ['a policy whose name is given twice', [halves, halves, faulty('VirtualService')], 'rule-in-two-halves'],
  ['a destination that there is not', [route, faulty('AuthorizationPolicy', security)], 'unknown-destination'],
  ['a selector of no workload', [selecting, faulty('VirtualService')], 'selector-without-workload'],
  ['a gateway that there is not', [bound, internal, faulty('PeerAuthentication', security)], 'unknown-gateway'],
])('an error in another policy hides not %s', (_, documents, code) => {
  expect(foundIn(...pods, ...documents)).toContain(code);
});

const served = [
  object('Service', 'v1', 'entry', '{selector: {app: entry}, ports: [{name: http, port: 80}]}'),
  object(
    'Gateway',
    'gateway.networking.k8s.io/v1',
    'edge',
    '{gatewayClassName: mesh, addresses: [{type: Hostname, value: entry.shop}], listeners: [{name: http, port: 80, protocol: HTTP}]}',
  ),
];
const denied = '{to: [{operation: {paths: [/admin]}}]}';
const ofEdge = [
  '{targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: edge}]',
  '{selector: {matchLabels: {gateway.networking.k8s.io/gateway-name: edge}}',
].map((binding, i) =>
  object('AuthorizationPolicy', security, `p${i}`, `${binding}, action: DENY, rules: [${denied}]}`),
);

test.each([
  [
    'a Gateway that is not looked at may be served by other workloads',
    [...served, ...ofEdge, faulty('DestinationRule')],
    'rule-within-rule',
  ],
  [
    'a Service that is faulty may be the one of a Gateway',
    [...ofEdge, ...served.map((text) => text.replace('port: 80}]}\n', 'port: 800000}]}\n'))],
    'rule-within-rule',
  ],
  ['an EnvoyFilter may verify tokens', [ofToken, patch], 'token-never-verified'],
  [
    'a PeerAuthentication that is faulty may switch mutual TLS on',
    [ofNamespace, plain, faulty('PeerAuthentication', security)],
    'identity-without-mutual-tls',
  ],
  [
    'the namespace of a faulty object is there',
    [ofNamespace, faulty('AuthorizationPolicy', security).replace('namespace: shop', 'namespace: shopp')],
    'unknown-source-namespace',
  ],
  ['a Gateway that is faulty may be the one that is absent', [bound, internal, faulty('Gateway')], 'unknown-gateway'],
  ['a ServiceEntry that is faulty may be the destination', [route, faulty('ServiceEntry')], 'unknown-destination'],
  [
    'a pod that is faulty may be the one selected',
    [selecting, `${pods[1]}surprise: 1\n`.replace('name: cart,', 'name: 7,')],
    'selector-without-workload',
  ],
])('%s, so that nothing is said of it', (_, documents, code) => {
  expect(foundIn(...pods, ...documents)).not.toContain(code);
});

test('of two findings of one cause beside errors the better one is told', () => {
  const gateway = object(
    'Gateway',
    networking,
    'edge',
    '{selector: {app: ingresgateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}',
  );
  const router = `apiVersion: v1
kind: Pod
metadata:
  name: gateway
  namespace: shop
  labels: {app: ingressgateway, sidecar.mesh.io/inject: "true"}
  annotations: {inject.mesh.io/templates: gateway}
spec: {containers: [{name: mesh-proxy, image: auto}]}
`;
  const found = foundIn(...pods, router, gateway, faulty('AuthorizationPolicy', security));
  expect(found).toEqual(['misspelt-gateway-selector']);
});

test('rules that the errors silence are named, with the objects that they did not look at', () => {
  const { notChecked } = resultOf(...pods, ofToken, halves, patch);
  expect(notChecked).toContainEqual({ code: 'token-never-verified', count: 2 });
  expect(notChecked.map(({ code }) => code)).not.toContain('rule-in-two-halves');
});
