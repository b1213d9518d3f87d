import { describe, expect, test } from 'vitest';
import { formsOf, GivenFleet, workload } from './testing/given-fleet.ts';
import { grant, standard } from './testing/standard-objects.ts';

const service = `---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, clusterIP: 10.96.0.2, ports: [{name: http, port: 80}]}
`;
const shop = workload('shop', '10.0.1.2');
const bank = workload('bank', '10.0.1.3');
const listeners = 'listeners: [{name: http, port: 81, protocol: HTTP}]';
/** The workloads behind the Service `web`. */
const addressed = standard(
  'Gateway',
  'second',
  `gatewayClassName: mesh, addresses: [{type: Hostname, value: web}], ${listeners}`,
);
const deny = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: deny, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: second}]
  action: DENY
  rules: [{to: [{operation: {paths: [/x]}}]}]
`;
/** Freezes the proxies of its namespace. */
const invalid = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: invalid, namespace: shop}
spec: {action: DENI}
`;
const all = { 'shop.yaml': shop, 'bank.yaml': bank, 'gateway.yaml': addressed, 'deny.yaml': deny };

test('the text of the Service that the tests take away is that of the workload', () => {
  expect(shop).toContain(service);
});

describe.each([false, true])('a DENY policy for a Gateway, of a fleet that is handed over: %s', (isHandedOver) => {
  test.each<[string, (text: string) => string]>([
    ['without a version', (text) => text.replace('k8s.io/v1', 'k8s.io')],
    ['of v1 alone', (text) => text.replace('gateway.networking.k8s.io/v1', 'v1')],
    ['whose apiVersion has another case', (text) => text.replace('apiVersion', 'apiversion')],
    ['without an apiVersion', (text) => text.replace(/apiVersion.*\n/, '')],
    ['with an empty apiVersion', (text) => text.replace(/apiVersion:.*\n/, 'apiVersion:\n')],
    ['with a number for its apiVersion', (text) => text.replace(/apiVersion:.*\n/, 'apiVersion: 1\n')],
    ['whose group has another case', (text) => text.replace('k8s.io', 'k8s.iO')],
    ['whose group has a letter more', (text) => text.replace('gateway.net', 'gateways.net')],
    ['whose group has a word less', (text) => text.replace('gateway.net', 'net')],
  ])('stays where the Gateway becomes one %s', async (_, edit) => {
    const fleet = new GivenFleet(isHandedOver);
    expect(formsOf(await fleet.take(all)).shop).toBe('/x');
    expect(formsOf(await fleet.take({ ...all, 'gateway.yaml': edit(addressed) })).shop).toMatch(/(^|: )\/x( |$)/);
  });

  test('stays where the Service of the Gateway is deleted, also at proxies that are frozen', async () => {
    const without = { ...all, 'shop.yaml': shop.replace(service, '') };
    const fleet = new GivenFleet(isHandedOver);
    await fleet.take(all);
    expect(formsOf(await fleet.take(without)).shop).toMatch(/^frozen since v1: \/x \|/);
    expect(formsOf(await fleet.take(all)).shop).toBe('/x');
    await fleet.take({ ...all, 'invalid.yaml': invalid });
    expect(formsOf(await fleet.take({ ...without, 'invalid.yaml': invalid })).shop).toMatch(
      /^frozen since v\d: \/x \|/,
    );
  });

  test('reaches proxies that are frozen when it comes with its Gateway', async () => {
    const { 'gateway.yaml': _gateway, 'deny.yaml': _deny, ...mesh } = all;
    const fleet = new GivenFleet(isHandedOver);
    await fleet.take(mesh);
    expect(formsOf(await fleet.take({ ...mesh, 'invalid.yaml': invalid })).shop).toMatch(/^frozen since v1: {2}\|/);
    expect(formsOf(await fleet.take({ ...all, 'invalid.yaml': invalid })).shop).toMatch(/^frozen since v1: \/x \|/);
  });

  test('touches the workloads that a change of the Service moves it to or from', async () => {
    const fleet = new GivenFleet(isHandedOver);
    await fleet.take(all);
    const { touched } = await fleet.take({
      ...all,
      'shop.yaml': shop.replace('{selector: {app: web}', '{selector: {app: other}'),
    });
    expect(touched === 'all' ? touched : [...touched]).toContain('shop/web');
  });

  test('is not what a withdrawn grant waits for: gateways that are frozen, in a mesh that does not fit, lose the backend at once', async () => {
    const store = (port: number): string => `apiVersion: v1
kind: Service
metadata: {name: store, namespace: shop}
spec: {selector: {app: store}, clusterIP: 10.96.1.1, ports: [{name: http, port: ${port}}]}
`;
    const edge = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: shop, labels: {gateway.networking.k8s.io/gateway-name: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.1.1}
---
${standard('Gateway', 'edge', `gatewayClassName: mesh, ${listeners}`)}---
${standard('HTTPRoute', 'to-bank', 'parentRefs: [{name: edge}], rules: [{backendRefs: [{name: web, namespace: bank, port: 80}]}]')}---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: store, namespace: shop}
spec:
  hosts: [web.shop.svc.cluster.local]
  http: [{route: [{destination: {host: store.shop.svc.cluster.local, port: {number: 80}}}]}]
`;
    const texts = { 'shop.yaml': shop, 'bank.yaml': bank, 'edge.yaml': edge };
    // Frozen, and of a port that the service has lost.
    const unfit = { 'store.yaml': store(81), 'invalid.yaml': invalid };
    const fleet = new GivenFleet(isHandedOver);
    const leads = async (more: Readonly<Record<string, string>>): Promise<readonly boolean[]> => {
      const outcome = (await fleet.take({ ...texts, ...more })).outcomes.get('shop/edge') ?? expect.fail('no gateway');
      const isFrozen = 'frozen' in outcome;
      const { routes } = isFrozen ? outcome.frozen : outcome.config;
      return [isFrozen, JSON.stringify(routes.map(({ json }) => json)).includes('web.bank')];
    };
    expect(await leads({ 'grant.yaml': grant, 'store.yaml': store(80) })).toEqual([false, true]);
    expect(await leads({ 'grant.yaml': grant, ...unfit })).toEqual([true, true]);
    expect(await leads(unfit)).toEqual([true, false]);
  });
});
