import { describe, expect, test } from 'vitest';
import type { FleetOutcome } from './fleet-outcome.ts';
import { formsOf, GivenFleet, workload } from './testing/given-fleet.ts';
import { grant, standard } from './testing/standard-objects.ts';

const gateway = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: shop, labels: {gateway.networking.k8s.io/gateway-name: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.1.1}
---
${workload('shop', '10.0.1.2')}---
${workload('bank', '10.0.1.3')}---
${standard('Gateway', 'edge', 'gatewayClassName: mesh, listeners: [{name: http, port: 80, protocol: HTTP}]')}`;

const route = (path: string, backend = 'name: web', name = 'web'): string =>
  standard(
    'HTTPRoute',
    name,
    `parentRefs: [{name: edge}], rules: [{matches: [{path: {type: Exact, value: ${path}}}], backendRefs: [{${backend}, port: 80}]}]`,
  );
/** Paths and fixed answers in the routes of the gateway, and what is wrong with objects that concern it. */
function edgeOf({ outcomes }: FleetOutcome): string {
  const outcome = outcomes.get('shop/edge') ?? expect.fail('no gateway');
  const config = 'config' in outcome ? outcome.config : outcome.frozen;
  const texts = config.routes.map(({ json }) => JSON.stringify(json)).join();
  const found = texts.match(/"(path|status)":"?[\w/]+/g) ?? [];
  const paths = found.map((text) => text.replace(/.*:"?/, ''));
  const faults = outcome.faults.map(({ object, heldSince }) => `${object?.kind} ${object?.name} of ${heldSince}`);
  const state = 'config' in outcome ? [] : [outcome.isDenying ? 'denying' : 'frozen'];
  return [...paths, ...state, ...faults].join(' ');
}

describe.each([false, true])('a fleet with objects of the Gateway API, handed over: %s', (isHandedOver) => {
  test('holds the last valid version of a route, and takes the changes of others', async () => {
    const fleet = new GivenFleet(isHandedOver);
    const take = (texts: Readonly<Record<string, string>>) => fleet.take({ 'gateway.yaml': gateway, ...texts });
    expect(edgeOf(await take({ 'a.yaml': route('/a') }))).toBe('/a');
    expect(edgeOf(await take({ 'a.yaml': route('a'), 'b.yaml': route('/b', 'name: web', 'other') }))).toBe(
      '/b /a HTTPRoute web of v1',
    );
    expect(edgeOf(await take({ 'a.yaml': route('/c') }))).toBe('/c');
    expect(edgeOf(await take({}))).toBe('');
  });

  test('a route that was never valid stops gateways alone, whose routes stay as they were', async () => {
    const fleet = new GivenFleet(isHandedOver);
    const take = (texts: Readonly<Record<string, string>>) => fleet.take({ 'gateway.yaml': gateway, ...texts });
    await take({ 'a.yaml': route('/a') });
    const outcome = await take({ 'a.yaml': route('/c'), 'b.yaml': route('b', 'name: web', 'other') });
    expect(edgeOf(outcome)).toBe('/a frozen HTTPRoute other of undefined');
    expect(outcome.outcomes.get('shop/web')?.faults).toEqual([]);
    expect(edgeOf(await take({ 'a.yaml': route('/c') }))).toBe('/c');
  });

  test('keeps a route that hides behind a document that no parser reads', async () => {
    const fleet = new GivenFleet(isHandedOver);
    const take = (text: string) => fleet.take({ 'gateway.yaml': gateway, 'a.yaml': text });
    await take(`${route('/a')}---\n${route('/b', 'name: web', 'other')}`);
    expect(edgeOf(await take('kind: [HTTPRoute'))).toMatch(/^\/b \/a frozen/);
  });

  test('a grant that is withdrawn takes the backend away at once, also from a gateway that is stopped', async () => {
    const fleet = new GivenFleet(isHandedOver);
    const texts = { 'gateway.yaml': gateway, 'a.yaml': route('/a', 'name: web, namespace: bank') };
    const fault = { 'b.yaml': route('b', 'name: web', 'other') };
    expect(edgeOf(await fleet.take({ ...texts, 'grant.yaml': grant }))).toBe('/a');
    expect(edgeOf(await fleet.take({ ...texts, ...fault, 'grant.yaml': grant }))).toContain('/a frozen');
    expect(edgeOf(await fleet.take({ ...texts, ...fault }))).toContain('/a 500 frozen');
    expect(edgeOf(await fleet.take(texts))).toBe('/a 500');
  });

  test('a policy for a Gateway stays at its workloads while the Gateway is invalid', async () => {
    const fleet = new GivenFleet(isHandedOver);
    const policy = (path: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: deny, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: edge}]
  action: DENY
  rules: [{to: [{operation: {paths: [${path}]}}]}]
`;
    const byService = gateway.replace(
      'gatewayClassName: mesh,',
      'gatewayClassName: mesh, addresses: [{type: Hostname, value: web}],',
    );
    const wrong = byService.replace('port: 80,', 'port: 0,');
    const take = async (own: string, path: string) =>
      formsOf(await fleet.take({ 'gateway.yaml': own, 'policy.yaml': policy(path) }));
    expect(await take(byService, '/x')).toMatchObject({ 'shop/edge': '', shop: '/x', bank: '' });
    const held = 'shop/edge gateway.yaml:29 as of v1';
    expect(await take(wrong, '/y')).toMatchObject({ 'shop/edge': held, shop: `/y | ${held}`, bank: held });
  });

  test('what other programs serve concerns nobody, and what may be served here does', async () => {
    const fleet = new GivenFleet(isHandedOver);
    const theirs = standard('GatewayClass', 'theirs', 'controllerName: example.com/gateway, parametersRef: {name: x}');
    const known = standard('GatewayClass', 'known', 'controllerName: example.com/gateway');
    const ours = standard(
      'GatewayClass',
      'ours',
      'controllerName: mesh.io/gateway-controller, parametersRef: {name: x}',
    );
    const edge = (name: string, of: string): string =>
      standard('Gateway', name, `gatewayClassName: ${of}, listeners: [{name: tcp, port: 9, protocol: TCP}]`);
    const sound = standard(
      'Gateway',
      'sound',
      'gatewayClassName: known, listeners: [{name: a, port: 9, protocol: HTTP}]',
    );
    const routeOf = (parent: string): string =>
      standard('HTTPRoute', 'wrong', `parentRefs: [${parent}], rules: [{filters: [{type: ExtensionRef}]}]`);
    const faultsWith = async (...texts: readonly string[]): Promise<readonly string[]> => {
      const { outcomes } = await fleet.take({ 'gateway.yaml': gateway, 'more.yaml': texts.join('---\n') });
      return [...outcomes].flatMap(([proxy, { faults }]) => faults.map(({ object }) => `${proxy}: ${object?.name}`));
    };
    expect(await faultsWith(theirs, edge('lb', 'theirs'), routeOf('{name: lb}'))).toEqual([]);
    expect(await faultsWith(known, edge('lb', 'known'), sound, routeOf('{name: sound}'))).toEqual([]);
    expect(await faultsWith(edge('lb', 'mesh'))).toContain('shop/edge: lb');
    expect(await faultsWith(routeOf('{name: sound}, {name: edge}'))).toEqual(['shop/edge: wrong']);
    expect(await faultsWith(routeOf('{name: web, kind: Server, group: policy.linkerd.io}'))).toEqual([]);
    expect(await faultsWith(routeOf('{name: web, kind: Service, group: ""}'))).toEqual(['shop/edge: wrong']);
    expect(await faultsWith(routeOf('{name: edge, group: networking.mesh.io}'))).toEqual(['shop/edge: wrong']);
    expect(await faultsWith(routeOf('{name: edge, group: gateway.networking.k8s.io/v1}'))).toEqual([
      'shop/edge: wrong',
    ]);
    expect(await faultsWith(ours)).toContain('bank/web: ours');
  });

  test('tells a Gateway from one of the same name of networking.mesh.io, and holds each by itself', async () => {
    const fleet = new GivenFleet(isHandedOver);
    const other = (port: number, name = 'http'): string => `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  selector: {gateway.networking.k8s.io/gateway-name: edge}
  servers: [{port: {number: ${port}, name: ${name}, protocol: HTTP}, hosts: [x.example.com]}]
`;
    const ports = ({ outcomes }: FleetOutcome): readonly string[] => {
      const outcome = outcomes.get('shop/edge') ?? expect.fail('no gateway');
      const config = 'config' in outcome ? outcome.config : outcome.frozen;
      const numbers = config.listeners.flatMap(({ text }) => /port_value"?: ?(\d+)/.exec(text)?.[1] ?? []);
      return [...numbers, ...outcome.faults.map(({ object, heldSince }) => `${object?.kind} ${heldSince}`)];
    };
    const take = (own: string, theirs: string) => fleet.take({ 'gateway.yaml': own, 'other.yaml': theirs });
    expect(ports(await take(gateway, other(8080)))).toEqual(['80', '8080']);
    const wrong = gateway.replace('port: 80,', 'port: 0,');
    const held = 'Gateway.gateway.networking.k8s.io v1';
    expect(ports(await take(wrong, other(8081)))).toEqual(['80', '8081', held]);
    expect(ports(await take(gateway, other(0)))).toEqual(['80', '8081', 'Gateway v2']);
  });
});
