import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { createCompiler } from './compile.ts';
import { decideRootNamespace, mayHoldIn } from './root-namespace.ts';

const policy = (kind: string, namespace: string, group = 'security.istio.io'): string =>
  `apiVersion: ${group}/v1\nkind: ${kind}\nmetadata: {name: a, namespace: ${namespace}}\nspec: {}\n`;
const rule = `apiVersion: networking.istio.io/v1\nkind: DestinationRule\nmetadata: {name: a, namespace: istio-system}\nspec: {host: a}\n`;
const named: Settings = {
  ...defaultSettings,
  origins: { rootNamespace: { source: 'file', detail: 'mesh.yaml:1' } },
};

function decide(texts: readonly string[], before?: string, settings = defaultSettings) {
  const bag = new DiagnosticBag();
  const objects = createCompiler({ settings }).read([{ path: 'p.yaml', text: texts.join('---\n') }], bag);
  expect(bag.hasErrors).toBe(false);
  const decided = decideRootNamespace(objects, settings, bag, before);
  return { decided, told: bag.all.filter(({ severity }) => severity === 'error').map(({ code }) => code) };
}

const authorization = (namespace: string, group?: string): string => policy('AuthorizationPolicy', namespace, group);
const none: readonly string[] = [];

describe('decideRootNamespace', () => {
  test.each([
    ['no object', [], undefined],
    ['a policy of an ordinary namespace', [authorization('shop')], undefined],
    ['a PeerAuthentication of istio-system', [policy('PeerAuthentication', 'istio-system')], 'istio-system'],
    ['a RequestAuthentication of istio-system', [policy('RequestAuthentication', 'istio-system')], 'istio-system'],
    ['an AuthorizationPolicy of istio-system', [authorization('istio-system')], 'istio-system'],
    ['a Sidecar of istio-system', [policy('Sidecar', 'istio-system', 'networking.istio.io')], 'istio-system'],
    ['a policy of our group in istio-system', [authorization('istio-system', 'security.mesh.io')], undefined],
    ['a rule for clients in istio-system', [rule], undefined],
    ["a policy of Istio's group in mesh-system", [authorization('mesh-system')], 'mesh-system'],
    ['a policy of our group in mesh-system', [authorization('mesh-system', 'security.mesh.io')], 'mesh-system'],
  ])('is decided by %s', (_, texts, decided) => {
    expect(decide(texts)).toEqual({ decided, told: none });
  });

  test.each([
    [undefined, ['two-root-namespaces']],
    ['mesh-system', ['two-root-namespaces']],
    ['istio-system', ['two-root-namespaces']],
  ])('policies in both namespaces are an error, with %s decided before', (before, told) => {
    expect(decide([authorization('istio-system'), authorization('mesh-system')], before).told).toEqual(told);
  });

  test('a decision stays when the policies that made it are gone', () => {
    expect(decide([], 'istio-system')).toEqual({ decided: 'istio-system', told: none });
    expect(decide([authorization('shop')], 'mesh-system')).toEqual({ decided: 'mesh-system', told: none });
  });

  test.each([
    ['mesh-system', 'istio-system'],
    ['istio-system', 'mesh-system'],
  ])('a change that would alter the decision from %s to %s is refused', (before, after) => {
    expect(decide([authorization(after)], before)).toEqual({ decided: before, told: ['root-namespace-changed'] });
    expect(decide([authorization(before)], before)).toEqual({ decided: before, told: none });
  });

  test('a root namespace that a setting names is not decided by objects', () => {
    const texts = [authorization('istio-system'), authorization('mesh-system')];
    expect(decide(texts, undefined, named)).toEqual({ decided: undefined, told: none });
    expect(decide(texts, undefined, { ...defaultSettings, rootNamespace: 'policies' }).told).toEqual(none);
  });
});

test('a policy of either namespace may hold for the whole mesh until a setting names the root', () => {
  const namespaces = ['mesh-system', 'istio-system', 'shop'];
  const inCart = (settings: Settings) => namespaces.map((stated) => mayHoldIn('cart', stated, settings));
  expect(inCart(defaultSettings)).toEqual([true, true, false]);
  expect(inCart(named)).toEqual([true, false, false]);
});

test('a policy may hold in its own namespace, and in any where the namespace that it states is no name', () => {
  const stated = ['', 'default', 'cart', 'shop', 'Shop', 'shop ', 'shop.'];
  const mayHold = (own: string) => stated.filter((namespace) => mayHoldIn(own, namespace, defaultSettings));
  expect(mayHold('cart')).toEqual(['cart', 'Shop', 'shop ', 'shop.']);
  expect(mayHold('default')).toEqual(['', 'default', 'Shop', 'shop ', 'shop.']);
});
