import { describe, expect, test } from 'vitest';
import { findingsOf, hintsOf } from '../testing/hints.ts';
import { gatewayOf, named, podOf, routeTo, servicesFor } from '../testing/routing-objects.ts';

describe('the hint of a finding about gateways', () => {
  test.each([
    [
      ['ingress', 'ingress'],
      'did you mean the value "ingress"? The gateway workloads of the input have this label with that value',
    ],
    [['ingress', 'egress'], 'label the pods of the gateway as its selector says'],
  ])('of a Gateway that no workload serves names the one value of gateway workloads: %s', (labels, hint) => {
    const gateway = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: a, namespace: shop}
spec: {selector: {mesh: ingressgateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
`;
    const pods = labels.map(
      (label, i) => `apiVersion: v1
kind: Pod
metadata:
  name: gateway-${i}
  namespace: edge
  labels: {mesh: ${label}, sidecar.mesh.io/inject: "true"}
  annotations: {inject.mesh.io/templates: gateway}
spec: {containers: [{name: proxy, image: auto}]}
`,
    );
    expect(hintsOf('gateway-without-workload', 'cluster.local', gateway, ...pods)).toEqual([hint]);
  });

  const standard = named(
    'Gateway',
    'gateway.networking.k8s.io/v1',
    'edge',
    '{gatewayClassName: mesh, listeners: [{name: http, port: 80, protocol: HTTP}]}',
  );
  const labelled = 'gateway.networking.k8s.io/gateway-name: edge';
  const made =
    'make it a gateway by the annotation "inject.mesh.io/templates: gateway" for injection, or by the arguments [proxy, router] of its container mesh-proxy';

  test.each([
    ['is injected', podOf('edge', labelled)],
    [
      'has the proxy among its containers',
      podOf('edge', labelled).replace('{name: app}', '{name: mesh-proxy, args: [proxy, sidecar]}'),
    ],
  ])('of a Gateway whose labels a pod with a sidecar has tells what would make it a gateway: it %s', (_, pod) => {
    const hint = `Pod "shop/edge" has these labels and runs a sidecar: ${made}`;
    expect(hintsOf('gateway-without-workload', 'cluster.local', standard, pod)).toEqual([hint]);
  });

  test('of a Gateway of the Gateway API passes over pods of other namespaces', () => {
    const pod = podOf('edge', labelled).replace('namespace: shop', 'namespace: web');
    expect(hintsOf('gateway-without-workload', 'cluster.local', standard, pod)).toEqual([
      `give its pods in namespace "shop" the labels ${labelled}, or name their Service in "addresses"`,
    ]);
  });

  test('of a policy for a Gateway of the Gateway API speaks of its target, not of a selector', () => {
    const policy = named(
      'AuthorizationPolicy',
      'security.mesh.io/v1',
      'edge',
      '{targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: edge}], action: DENY, rules: [{}]}',
    );
    const pod = podOf('edge', labelled)
      .replace('namespace: shop', 'namespace: web')
      .replace('{name: app}', '{name: mesh-proxy, args: [proxy, router]}');
    const [only, ...rest] = findingsOf(
      'gateway-policy-in-other-namespace',
      'cluster.local',
      standard,
      policy,
      pod,
      podOf('cart', 'app: cart'),
    );
    expect([only?.message, only?.hint, rest]).toEqual([
      'no workload of namespace "shop" serves Gateway "shop/edge"; gateway workload "web/edge" has its name in a label, and serves Gateways of its own namespace alone',
      'run the pods of the Gateway in namespace "shop", or move Gateway and policy to namespace "web"',
      [],
    ]);
  });

  test.each([
    ['the one with a word before it', 'gateway', ['shop-gateway', 'internal'], 'did you mean "shop/shop-gateway"?'],
    ['the one with fewer words', 'public-edge', ['edge', 'internal'], 'did you mean "shop/edge"?'],
    [
      'those of the namespace where none is like it',
      'web',
      ['public', 'internal', 'partners', 'admin'],
      'write one of the Gateways of namespace "shop", which are "shop/public", "shop/internal", "shop/partners" and 1 more, or add the missing one to the inputs',
    ],
  ])('of an unknown Gateway names %s', (_, name, known, hint) => {
    const objects = [...servicesFor('cart'), ...known.map(gatewayOf), routeTo(name, 'cart')];
    expect(hintsOf('unknown-gateway', 'cluster.local', ...objects)).toEqual([hint]);
  });

  test.each([
    [
      'edge',
      'the Gateway of that name is one of the Gateway API, whose routes are HTTPRoutes, GRPCRoutes and TLSRoutes: write one of these',
    ],
    ['edge-http', 'write <namespace>/<name> for a Gateway of another namespace'],
    ['edgehttp', 'write <namespace>/<name> for a Gateway of another namespace'],
  ])('of the Gateway "%s" names no Gateway that stands for a listener of the Gateway API', (name, hint) => {
    const objects = [...servicesFor('cart'), standard, routeTo(name, 'cart')];
    expect(hintsOf('unknown-gateway', 'cluster.local', ...objects)).toEqual([hint]);
  });

  test.each([
    ['other/*.example', /^the server takes it from other namespaces: .* "shop\/a\.example", or move/],
    ['shop/b.example', /^add the host to a server of the Gateway/],
    ['shop/a.example', /^for clients in the mesh, .* add "mesh"/, 'cart'],
  ])('of a host that servers with %s do not take tells what is wrong in it', (host, hint, other = 'a.example') => {
    const gateway = gatewayOf('edge').replace('"*"', `"${host}"`);
    const route = routeTo('edge', 'cart').replace('a.example', other);
    expect(hintsOf('host-not-at-gateway', 'cluster.local', ...servicesFor('cart'), gateway, route)).toEqual([
      expect.stringMatching(hint),
    ]);
  });
});
