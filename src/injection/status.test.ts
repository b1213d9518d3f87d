import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject } from '../source/document.ts';
import { runs } from '../testing/effort.ts';
import { inject } from './inject.ts';
import type { Container } from './pod.ts';
import { withoutInjection } from './status.ts';
import { givenPod, givenSettings, injectedPod, injectGiven } from './testing/given-pod.ts';

describe('inject, by the status that a pod has', () => {
  test('takes back what it added where others have changed the pod meanwhile', () => {
    const pod = injectedPod(givenPod());
    const spec = pod.spec as JsonObject & { containers: Container[] };
    const changed = { ...pod, spec: { ...spec, containers: [{ name: 'late' }, ...spec.containers], priority: 5 } };
    expect(withoutInjection(changed, new DiagnosticBag())).toEqual(
      givenPod({ spec: { containers: [{ name: 'late' }, { name: 'web', image: 'shop-web:1.0.0' }], priority: 5 } }),
    );
  });

  test('leaves a pod that is skipped as it is, and takes an injection out of it first', () => {
    const pod = injectedPod(givenPod());
    const labels = { ...(pod.metadata as JsonObject & { labels: object }).labels, 'sidecar.mesh.io/inject': 'false' };
    const optedOut = { ...pod, metadata: { ...(pod.metadata as JsonObject), labels } };
    expect(injectGiven(optedOut)).toMatchObject({ kind: 'skipped', reason: 'opted-out' });
  });

  test.each<[string, JsonObject]>([
    [
      'labels that opt out',
      { objects: { metadata: { objects: { labels: { set: { 'sidecar.mesh.io/inject': 'no' } } } } } },
    ],
    ['labels without the one that asks', { objects: { metadata: { remove: ['labels'] } } }],
    ["the node's network", { objects: { spec: { set: { hostNetwork: true } } } }],
    ['Windows', { objects: { spec: { set: { os: { name: 'windows' } } } } }],
    ['a revision that there is not', { objects: { metadata: { set: { labels: { 'mesh.io/rev': 'none' } } } } }],
  ])('refuses a pod that gets a proxy, and whose status says that it had %s', (_, undo) => {
    const annotations = { 'sidecar.mesh.io/status': JSON.stringify({ undo }) };
    const pod = givenPod({ labels: { app: 'web', 'sidecar.mesh.io/inject': 'true' }, annotations });
    const injection = inject({ pod, namespace: 'shop', namespaceLabels: {} }, givenSettings());
    expect(injection).toMatchObject({ kind: 'refused', diagnostics: [{ code: 'foreign-injection' }] });
  });

  test('takes nothing out of a pod that another mesh has injected beside this one, in either order', () => {
    const pod = injectedPod(givenPod());
    const metadata = pod.metadata as JsonObject;
    const annotations = metadata.annotations as JsonObject;
    const other = { 'sidecar.istio.io/status': '{}' };
    for (const both of [
      { ...other, ...annotations },
      { ...annotations, ...other },
    ]) {
      const bag = new DiagnosticBag();
      expect(withoutInjection({ ...pod, metadata: { ...metadata, annotations: both } }, bag)).toBeUndefined();
      expect(bag.all.map(({ code, message }) => `${code} ${message}`).join()).toMatch(
        /^foreign-injection .*another mesh has injected its proxy/,
      );
    }
  });

  test('leaves a pod as it is that the command has injected, where its namespace asks for no proxy', () => {
    const pod = injectedPod(givenPod());
    const injection = inject({ pod, namespace: 'shop', namespaceLabels: {} }, givenSettings());
    expect(injection).toMatchObject({ kind: 'skipped', reason: 'not-asked-for' });
  });

  test('refuses or injects a pod with any status, and fails at none', () => {
    const pod = injectedPod(givenPod());
    const settings = givenSettings();
    const part = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('containers', 'web', ['web'], { web: null }));
    const change = fc.dictionary(fc.constantFrom('set', 'remove', 'objects', 'lists', 'items', 'add', 'order'), part);
    const nested = fc.dictionary(fc.constantFrom('spec', 'metadata', 'containers', 'labels'), fc.oneof(part, change));
    const undo = fc.record({ set: fc.oneof(part, nested), remove: part, objects: fc.oneof(part, nested), lists: part });
    fc.assert(
      fc.property(undo, (wrong) => {
        const annotations = { 'sidecar.mesh.io/status': JSON.stringify({ undo: wrong }) };
        const metadata = { ...(pod.metadata as JsonObject), annotations };
        expect(['injected', 'refused', 'skipped']).toContain(injectGiven({ ...pod, metadata }, settings).kind);
      }),
      runs(1_000),
    );
  });
});
