import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { MeshObject } from '../../policy/object.ts';
import { noPolicies, type PolicySet } from '../../policy/policy-set.ts';
import * as make from '../../testing/objects.ts';
import { resolveTopology } from '../topology/resolve.ts';
import type { Effective } from './effective.ts';
import { merge } from './merge.ts';

const web = { matchLabels: { app: 'web' } };
const workload = { namespace: 'shop', name: 'web' };
const topology = resolveTopology(
  [make.pod({ name: 'shop/web', labels: { app: 'web', tier: 'front' } }, '10.0.0.1')],
  defaultSettings,
  new DiagnosticBag(),
);

function merged(policies: Partial<PolicySet>, changes: object = {}, previous?: Effective): Effective {
  const settings = { ...defaultSettings, rootNamespace: 'mesh-system', ...changes };
  return merge({ ...noPolicies, ...policies, topology, settings }, new DiagnosticBag(), previous);
}

const names = (objects: readonly MeshObject<string>[]) => objects.map(({ namespace, name }) => `${namespace}/${name}`);

describe.each(['requestAuthentications', 'authorizationPolicies'] as const)('%s', (kind) => {
  const policy = kind === 'requestAuthentications' ? make.requestAuthentication : make.authorizationPolicy;

  test('of the own and the root namespace hold, with and without selector, oldest first', () => {
    const policies = [
      policy({ name: 'shop/younger', createdAt: 2 }, { selector: web }),
      policy({ name: 'shop/all', createdAt: 3 }, {}),
      policy({ name: 'mesh-system/everywhere', createdAt: 1 }, {}),
      policy({ name: 'mesh-system/selecting', createdAt: 4 }, { selector: web }),
      policy('shop/of-others', { selector: { matchLabels: { app: 'web', tier: 'back' } } }),
      policy('other/foreign', {}),
      policy('mesh-system/of-others', { selector: { matchLabels: { app: 'api' } } }),
    ];
    const expected = ['mesh-system/everywhere', 'shop/younger', 'shop/all', 'mesh-system/selecting'];
    expect(names(merged({ [kind]: policies })[kind](workload))).toEqual(expected);
  });

  test('of a root namespace hold once for its own workloads', () => {
    const effective = merged({ [kind]: [policy('shop/all', {})] }, { rootNamespace: 'shop' });
    expect(names(effective[kind](workload))).toEqual(['shop/all']);
  });

  test('are the same list again while they are the same objects', () => {
    const policies = { [kind]: [policy('shop/all', {})] };
    const before = merged(policies);
    expect(merged(policies, {}, before)[kind](workload)).toBe(before[kind](workload));
  });
});

describe('gateways', () => {
  const servers: [] = [];
  const gateways = [
    make.gateway('other/front', { selector: { tier: 'front' }, servers }),
    make.gateway('shop/any', { servers }),
    make.gateway('shop/back', { selector: { tier: 'back' }, servers }),
  ];

  test('select by labels in all namespaces; without selector every gateway', () => {
    expect(names(merged({ gateways }).gateways(workload))).toEqual(['shop/any', 'other/front']);
  });

  test('of other namespaces are left out where gateways are scoped to theirs', () => {
    expect(names(merged({ gateways }, { scopeGatewayToNamespace: true }).gateways(workload))).toEqual(['shop/any']);
  });
});

describe('virtualServices', () => {
  const hosts = ['a.example'];
  const virtualServices = [
    make.virtualService('shop/to-all', { hosts }),
    make.virtualService('shop/own', { hosts, exportTo: ['.'] }),
    make.virtualService('shop/to-b', { hosts, exportTo: ['b'] }),
    make.virtualService('shop/to-none', { hosts, exportTo: ['~'] }),
  ];

  test.each([
    ['shop', ['shop/own', 'shop/to-all']],
    ['b', ['shop/to-all', 'shop/to-b']],
    ['c', ['shop/to-all']],
  ])('from %s are seen as exportTo says', (namespace, expected) => {
    expect(names(merged({ virtualServices }).virtualServices({ namespace }))).toEqual(expected);
  });

  test('without exportTo go by the default of the mesh', () => {
    const effective = merged({ virtualServices }, { defaultVirtualServiceExportTo: ['.'] });
    expect(names(effective.virtualServices({ namespace: 'c' }))).toEqual([]);
  });
});
