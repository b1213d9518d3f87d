import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { UnreadObject } from '../policy/unread-object.ts';
import { lint } from './lint.ts';
import { partialInput } from './partial-input.ts';
import {
  deployment,
  egress,
  gateway,
  machine,
  namespace,
  route,
  rule,
  selecting,
  service,
  strict,
} from './testing/mesh-documents.ts';

/** Codes of the warnings, and of what was not checked. */
function told(...documents: readonly string[]): { readonly found: string[]; readonly unseen: string[] } {
  const bag = new DiagnosticBag();
  const unread: UnreadObject[] = [];
  const files = [{ path: 'a.yaml', text: documents.join('---\n') }];
  const objects = createObjectReader()(files, bag, (object) => void unread.push(object));
  const snapshot = createAnalyser(defaultSettings, { ...partialInput, unread })(objects, bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all));
  const { findings, notChecked } = lint(snapshot);
  const warnings = findings.filter(({ severity }) => severity !== 'info');
  return { found: warnings.map(({ code }) => code), unseen: notChecked.map(({ code }) => code) };
}

describe('an input that names a part of the mesh', () => {
  const shop = [service('cart', 'shop'), deployment('cart', 'shop')];
  const team = [service('cart', 'team-a'), deployment('cart', 'team-a')];
  const gatewayPolicy = (value: string, kind = 'AuthorizationPolicy'): string => `apiVersion: security.mesh.io/v1
kind: ${kind}
metadata: {name: office, namespace: mesh-system}
spec:
  selector: {matchLabels: {app: ${value}}}
  ${kind === 'AuthorizationPolicy' ? 'rules: [{from: [{source: {ipBlocks: [203.0.113.0/24]}}]}]' : 'jwtRules: [{issuer: a, jwksUri: "https://a/keys"}]'}
`;
  const exported = route('cart', 'cart').replace('hosts:', 'exportTo: [team-b]\n  hosts:');

  test.each([
    [
      'a policy of the root namespace for a gateway that is kept elsewhere',
      [...shop, gatewayPolicy('ingressgateway')],
      'selector-without-workload',
    ],
    [
      'tokens at a gateway that is kept elsewhere',
      [...shop, gatewayPolicy('ingressgateway', 'RequestAuthentication')],
      'selector-without-workload',
    ],
    [
      'a policy of the root namespace beside what runs there without a proxy',
      [
        ...shop,
        namespace('mesh-system', '{mesh-injection: disabled}'),
        deployment('kiali', 'mesh-system'),
        gatewayPolicy('ingressgateway'),
      ],
      'selector-without-workload',
    ],
    [
      'a policy of the root namespace beside another proxy of it',
      [...shop, deployment('egress', 'mesh-system'), gatewayPolicy('ingressgateway')],
      'selector-without-workload',
    ],
    [
      'an ingress gateway beside an egress gateway',
      [...shop, gateway('public').replace('app: gateway', 'mesh: ingressgateway'), egress],
      'gateway-without-workload',
    ],
    ['a policy of the next of lettered namespaces', [...team, strict('cart', 'team-b')], 'policy-in-force-nowhere'],
    ['routes for the next of lettered namespaces', [...team, ...shop, exported], 'policy-in-force-nowhere'],
    [
      'a Sidecar that imports the next of lettered namespaces',
      [...team, ...shop, selecting('Sidecar', 'egress: [{hosts: ["team-b/*"]}]').replace('carts', 'cart')],
      'egress-host-without-service',
    ],
    [
      'a gateway of the next of lettered namespaces',
      [...shop, gateway('web').replace('namespace: shop', 'namespace: team-a'), route('a.b', 'cart', 'team-b/web')],
      'unknown-gateway',
    ],
    ['a Service without the workloads of its namespace', [service('cart', 'shop')], 'service-without-endpoints'],
    ['a policy beside a Service', [service('cart', 'shop'), strict('cart', 'shop')], 'policy-in-force-nowhere'],
    ['a policy of a namespace that is not there', [...shop, strict('loans', 'bank')], 'policy-in-force-nowhere'],
    [
      'a destination in another namespace',
      [...shop, route('cart', 'loans.bank.svc.cluster.local')],
      'unknown-destination',
    ],
    ['a route for an outside host', [...shop, route('pay.example.com', 'cart')], 'host-without-service'],
    [
      'a Sidecar for pods of a namespace of which none is there',
      [service('cart', 'shop'), selecting('Sidecar', 'egress: [{hosts: ["*/*"]}]')],
      'selector-without-workload',
    ],
    [
      'a rule for clients of a namespace of which none is there',
      [service('cart', 'shop'), selecting('DestinationRule', 'host: cart')],
      'selector-without-workload',
    ],
    ['a rule for an outside host', [...shop, rule('pay.example.com')], 'unknown-host'],
    ['a gateway that another team runs', [...shop, gateway('public')], 'gateway-without-workload'],
    [
      'a route at a gateway of another namespace',
      [...shop, route('a.example', 'cart', 'edge/public')],
      'unknown-gateway',
    ],
  ])('leaves %s unchecked, and counts it', (_, documents, code) => {
    expect(told(...documents)).toEqual({ found: [], unseen: expect.arrayContaining([code]) });
  });

  test('with a Service whose Deployment has no pods yet lacks nothing: the cluster makes them', () => {
    expect(told(...shop)).toEqual({ found: [], unseen: expect.not.arrayContaining(['service-without-endpoints']) });
  });

  test.each([
    [
      'a selector of no workload of the namespace',
      [...shop, strict('cart', 'shop', 'carts')],
      'selector-without-workload',
    ],
    [
      'a Sidecar for no workload of the namespace',
      [...shop, selecting('Sidecar', 'egress: [{hosts: ["*/*"]}]')],
      'selector-without-workload',
    ],
    [
      'a rule for no client of the namespace',
      [...shop, selecting('DestinationRule', 'host: cart')],
      'selector-without-workload',
    ],
    ['a Service of no workload of the namespace', [...shop, service('carts', 'shop')], 'service-without-endpoints'],
    ['a misspelt namespace', [...shop, strict('cart', 'shops')], 'policy-in-force-nowhere'],
    [
      'a misspelt label of workloads anywhere',
      [...shop, deployment('reviews', 'shop'), gatewayPolicy('rewiews')],
      'selector-without-workload',
    ],
    ['routes for a misspelt namespace', [...shop, exported.replace('team-b', 'shops')], 'policy-in-force-nowhere'],
    [
      'a gateway of a misspelt namespace',
      [...shop, gateway('web'), route('a.b', 'cart', 'shops/web')],
      'unknown-gateway',
    ],
    ['a destination that its namespace lacks', [...shop, route('cart', 'crat')], 'unknown-destination'],
    [
      'a gateway that its namespace lacks',
      [...shop, gateway('edge'), route('a.example', 'cart', 'internal')],
      'unknown-gateway',
    ],
    ['a misspelt gateway', [...shop, gateway('edge'), route('a.example', 'cart', 'egde')], 'misspelt-gateway'],
  ])('has a finding about %s', (_, documents, code) => {
    expect(told(...documents).found).toEqual([code]);
  });

  test.each([
    ['whose ServiceEntry states the port', 'pay.example.com', ['routes-without-port']],
    ['of which one has no service', 'pay.example.com, other.example.com', []],
  ])('has, without any workload, findings about routes for another protocol, for hosts %s', (_, hosts, codes) => {
    const entry = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: pay, namespace: shop}
spec: {hosts: [pay.example.com], ports: [{number: 443, name: tls, protocol: TLS}], resolution: DNS}
`;
    expect(told(entry, route(hosts, 'pay.example.com')).found).toEqual(codes);
  });

  test('has its workloads taken for injected, where their namespace is not declared', () => {
    expect(told(...shop, strict('cart', 'shop'))).toEqual({ found: [], unseen: expect.anything() });
    const without = told(namespace('shop', '{}'), ...shop, strict('cart', 'shop'));
    expect(without.found).toEqual(['policy-in-force-nowhere']);
  });

  test('has pods that run taken for what their containers are', () => {
    const pod = (status: string): string => `apiVersion: v1
kind: Pod
metadata: {name: cart-1, namespace: shop, labels: {app: cart}}
spec: {containers: [{name: app}]}
${status}`;
    expect(told(pod(''), strict('cart', 'shop')).found).toEqual([]);
    expect(told(pod('status: {podIP: 10.0.0.1}\n'), strict('cart', 'shop')).found).toEqual(['policy-in-force-nowhere']);
  });

  test.each<[string, string, string[]]>([
    ['nothing', '{app: cart}', ['injection-by-annotation']],
    ['no', '{app: cart, sidecar.mesh.io/inject: "false"}', []],
  ])('has a pod whose annotation asks for injection and whose label says %s taken by its label', (_, labels, codes) => {
    const pod = `apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: ${labels}, annotations: {sidecar.mesh.io/inject: "true"}}
spec: {containers: [{name: app}]}
`;
    expect(told(namespace('shop', '{}'), pod).found).toEqual(codes);
  });

  test.each([
    ['runs the proxy alone', '[{name: mesh-proxy, image: auto}]', [], []],
    ['is selected by a Gateway', '[{name: app}]', [gateway('gateway')], []],
    ['runs an application', '[{name: app}]', [], ['forwarded-address-at-sidecar']],
  ])(
    'has a pod that %s, of a namespace that is not declared, taken for what that says',
    (_, containers, more, codes) => {
      const pod = `apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop, labels: {app: gateway}}
spec: {containers: ${containers}}
`;
      const allow = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: a, namespace: shop}
spec: {selector: {matchLabels: {app: gateway}}, rules: [{from: [{source: {remoteIpBlocks: [192.0.2.0/24]}}]}]}
`;
      expect(told(pod, allow, ...more).found).toEqual(codes);
    },
  );

  test.each<[string, string, string, string[]]>([
    ['with an account', '{app: erp}', ', serviceAccount: erp', []],
    ['without an account', '{app: erp}', '', ['policy-in-force-nowhere']],
    [
      'whose label says that it has none',
      '{app: erp, security.mesh.io/tlsMode: disabled}',
      ', serviceAccount: erp',
      ['policy-in-force-nowhere'],
    ],
  ])('a machine %s counts by that as one with a sidecar', (_, labels, rest, expected) => {
    expect(told(machine(labels, rest), strict('machine', 'shop', 'erp')).found).toEqual(expected);
  });
});

test('rules read the root namespace that objects of Istio decide on', () => {
  const istio = [
    'apiVersion: security.istio.io/v1\nkind: PeerAuthentication\nmetadata: {name: default, namespace: istio-system}\nspec: {mtls: {mode: STRICT}}\n',
    'apiVersion: security.istio.io/v1\nkind: PeerAuthentication\nmetadata: {name: cart, namespace: shop}\nspec: {selector: {matchLabels: {app: cart}}, mtls: {mode: DISABLE}}\n',
  ];
  const bag = new DiagnosticBag();
  const objects = createObjectReader()([{ path: 'a.yaml', text: istio.join('---\n') }], bag);
  const snapshot = createAnalyser(defaultSettings, partialInput)(objects, bag);
  expect(snapshot && lint(snapshot).findings.map(({ code }) => code)).toContain('disabled-below-strict');
});
