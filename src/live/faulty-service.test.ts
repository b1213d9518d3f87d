import { describe, expect, test } from 'vitest';
import { authorization, formsOf, GivenFleet } from './testing/given-fleet.ts';

/** Of namespace b, with a field that nobody knows. */
const entry = (rest = '') => `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: far, namespace: b}
spec: {hosts: [far.example], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS, unknown: 1${rest}}
`;
const sidecar = `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: default, namespace: a}
spec: {egress: [{hosts: ["./*", "c/*"]}]}
`;
const machine = `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: vm, namespace: b}
spec: {address: 10.0.0.9, labels: {app: web}, unknown: 1}
`;
const allow = { 'allow.yaml': authorization('a/allow', '/a', { action: 'ALLOW' }) };

/** The forms of proxies that were good before the object came, together with a policy for each namespace. */
async function formsAfter(faulty: string, isHandedOver: boolean) {
  const fleet = new GivenFleet(isHandedOver);
  await fleet.take({ 'sidecar.yaml': sidecar });
  return formsOf(await fleet.take({ 'sidecar.yaml': sidecar, 'faulty.yaml': faulty, ...allow }));
}

describe.each([false, true])(
  'an object of a namespace that was never valid (each version by another fleet: %s)',
  (is) => {
    test('freezes no proxy whose Sidecar imports nothing of the namespace', async () => {
      const { a, b, c } = await formsAfter(entry(), is);
      expect(a).toBe('/a');
      expect([b, c]).toEqual(Array(2).fill('frozen since v1:  | b/far faulty.yaml:1'));
    });

    test('freezes those alone that see it, and those of its own namespace', async () => {
      const { b, c } = await formsAfter(entry(', exportTo: [a]'), is);
      expect([b, c]).toEqual(['frozen since v1:  | b/far faulty.yaml:1', '']);
    });

    test('freezes nobody but its own proxy where it is a WorkloadEntry', async () => {
      expect(await formsAfter(machine, is)).toEqual({ a: '/a', b: '', c: '' });
    });
  },
);
