import { describe, expect, test } from 'vitest';
import { authorization, formsOf, GivenFleet, mesh, workload } from './testing/given-fleet.ts';

const routes = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: store, namespace: a}
spec:
  hosts: [web.a.svc.cluster.local]
  http: [{route: [{destination: {host: store.a.svc.cluster.local}}]}]
`;
const store = (port: number) => `apiVersion: v1
kind: Service
metadata: {name: store, namespace: a}
spec: {selector: {app: store}, clusterIP: 10.96.1.1, ports: [{name: http, port: ${port}}]}
`;
/** Freezes all proxies. */
const bad = { 'bad.yaml': authorization('mesh-system/bad', '/bad', { action: 'DENI' }) };
const faults = 'mesh-system/bad bad.yaml:1';

describe.each([false, true])(
  'proxies with a route to a service that goes as they are frozen (each version by another fleet: %s)',
  (isHandedOver) => {
    test('stay as they were, and rules that deny reach them all the same', async () => {
      const fleet = new GivenFleet(isHandedOver);
      await fleet.take({ 'routes.yaml': routes, 'store.yaml': store(80) });
      const deny = authorization('a/deny', '/admin');
      const forms = formsOf(await fleet.take({ 'routes.yaml': routes, 'deny.yaml': deny, ...bad }));
      expect(forms.a).toBe(`frozen since v1: /admin | ${faults}`);
      expect(forms.b).toBe(`frozen since v1:  | ${faults}`);
      const later = { 'deny.yaml': deny, 'other.yaml': authorization('b/deny', '/other') };
      const then = formsOf(await fleet.take({ 'routes.yaml': routes, ...later, ...bad }));
      expect([then.a, then.b]).toEqual([`frozen since v1: /admin | ${faults}`, `frozen since v1: /other | ${faults}`]);
    });

    test('stay as they were where the service goes later', async () => {
      const fleet = new GivenFleet(isHandedOver);
      await fleet.take({ 'routes.yaml': routes, 'store.yaml': store(80) });
      await fleet.take({ 'routes.yaml': routes, 'store.yaml': store(80), ...bad });
      const forms = formsOf(await fleet.take({ 'routes.yaml': routes, ...bad }));
      expect(forms.a).toMatch(/^frozen since v1: {2}\|/);
    });

    test('have the endpoints of all other services as they are now', async () => {
      const fleet = new GivenFleet(isHandedOver);
      await fleet.take({ 'routes.yaml': routes, 'store.yaml': store(80) });
      const moved = mesh.replace('podIP: 10.0.0.2', 'podIP: 10.0.0.77');
      const { outcomes } = await fleet.take({ 'mesh.yaml': moved, 'routes.yaml': routes, ...bad });
      const outcome = outcomes.get('a/web');
      const clusters = outcome !== undefined && 'frozen' in outcome ? outcome.frozen.clusters : [];
      const text = clusters.find(({ name }) => name === 'outbound|80||web.b.svc.cluster.local')?.text;
      expect(text).toContain('10.0.0.77');
      expect(clusters.map(({ name }) => name)).toContain('outbound|80||store.a.svc.cluster.local');
    });

    test('stay as they were where the service has lost the port of the route', async () => {
      const fleet = new GivenFleet(isHandedOver);
      const onPort = routes.replace('cluster.local}}', 'cluster.local, port: {number: 80}}}');
      await fleet.take({ 'routes.yaml': onPort, 'store.yaml': store(80) });
      const now = { 'store.yaml': store(81), 'deny.yaml': authorization('a/deny', '/admin'), ...bad };
      const forms = formsOf(
        await fleet.take({ 'mesh.yaml': `${mesh}---\n${workload('d', '10.0.0.4')}`, 'routes.yaml': onPort, ...now }),
      );
      expect(forms.a).toMatch(/^frozen since v1: \/admin \|/);
      expect(forms.d).toMatch(/^frozen since undefined: \* \|/);
    });
  },
);
