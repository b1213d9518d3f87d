import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { parse } from '../source/parse.ts';
import { mayReach, type ReachedWorkload } from './reach.ts';

const workloads: Readonly<Record<string, ReachedWorkload>> = {
  web: { namespace: 'shop', name: 'web', role: 'sidecar', labels: { app: 'web' } },
  db: { namespace: 'shop', name: 'db', role: 'sidecar', labels: { app: 'db' } },
  far: { namespace: 'far', name: 'web', role: 'sidecar', labels: { app: 'web' } },
  edge: { namespace: 'edge', name: 'edge', role: 'router', labels: { mesh: 'edge' } },
};
/** One whose Sidecar imports services of its own namespace and of `near`. */
const scoped: ReachedWorkload = {
  ...{ namespace: 'scoped', name: 'scoped', role: 'sidecar', labels: {} },
  egress: [{ hosts: [{ namespace: 'scoped', host: '*' }] }, { hosts: [{ namespace: 'near', host: 'a.test' }] }],
};

/** The workloads that an object of this kind may concern, in the namespace `shop` unless `metadata` says otherwise. */
function reached(
  kind: string,
  spec: string,
  metadata = '{name: web, namespace: shop}',
  apiVersion = 'networking.mesh.io/v1',
): string {
  const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;
  const [document] = parse([{ path: 'object.yaml', text }], new DiagnosticBag());
  if (document === undefined) throw new Error(text);
  const names = Object.keys(workloads).filter((name) => {
    const workload = workloads[name];
    return workload !== undefined && mayReach(document.value, workload, defaultSettings);
  });
  return names.join(' ');
}

const all = 'web db far edge';

describe('mayReach', () => {
  test.each([
    ['AuthorizationPolicy', '{}', 'web db'],
    ['AuthorizationPolicy', '{selector: {matchLabels: {app: web}}, action: NONSENSE}', 'web'],
    ['RequestAuthentication', '{selector: {matchLabels: {app: db}}}', 'db'],
    ['PeerAuthentication', '{selector: {matchLabels: {app: db}}}', 'db'],
    ['ProxyConfig', '{selector: {matchLabels: {app: none}}}', ''],
    ['Sidecar', '{workloadSelector: {labels: {app: web}}}', 'web'],
    ['Gateway', '{selector: {mesh: edge}}', 'edge'],
    ['Gateway', '{selector: {mesh: other}}', ''],
    ['Gateway', '{selector: 1}', 'edge'],
    ['VirtualService', '{hosts: [a.test], gateways: [edge]}', 'edge'],
    ['VirtualService', '{hosts: [a.test], gateways: [edge, mesh]}', all],
    ['VirtualService', '{hosts: [a.test], exportTo: [.]}', 'web db'],
    ['VirtualService', '{hosts: [a.test], exportTo: [far, edge]}', 'far edge'],
    ['DestinationRule', '{host: a.test, exportTo: ["~"]}', ''],
    ['DestinationRule', '{host: a.test}', all],
    ['Pod', '{}', 'web'],
    ['Secret', '{}', ''],
    ['Service', '{}', all],
    ['ServiceEntry', '{hosts: 1}', all],
    ['ServiceEntry', '{exportTo: [.]}', 'web db'],
    ['ServiceEntry', '{exportTo: [far]}', 'web db far'],
    ['ServiceEntry', '{exportTo: 1}', all],
    ['WorkloadEntry', '{}', 'web'],
    ['Unknown', '{}', all],
    ['constructor', '{}', all],
  ])('a %s with the spec %s may concern: %s', (kind, spec, names) => {
    expect(reached(kind, spec)).toBe(names);
  });

  test.each(["''", 'v1', 'networking.k8s.io/v1', '1', '[]'])(
    'a Gateway of apiVersion %s may concern all, for it may be one of the Gateway API',
    (apiVersion) => {
      expect(reached('Gateway', '{selector: {mesh: edge}}', undefined, apiVersion)).toBe(all);
    },
  );

  test.each([
    ['ServiceEntry', 'shop', false],
    ['ServiceEntry', 'near', true],
    ['ServiceEntry', 'scoped', true],
    ['ServiceEntry', 'Shop', true],
    ['Service', 'shop', false],
    ['VirtualService', 'shop', false],
    ['VirtualService', 'near', true],
    ['VirtualService', 'SHOP', true],
    // A rule holds for services too that routes lead to.
    ['DestinationRule', 'shop', true],
    ['Unknown', 'shop', true],
  ])('a %s of namespace %s concerns a proxy whose Sidecar imports others: %s', (kind, namespace, is) => {
    const object = { kind, metadata: { name: 'a', namespace }, spec: { hosts: ['b.test'] } };
    expect(mayReach(object, scoped, defaultSettings)).toBe(is);
  });

  test.each([
    '{selector: {matchLabels: {app: [web]}}}',
    '{selector: {matchLables: {app: none}}}',
    '{selector: {matchLabels: {app: none}, other: 1}}',
    '{selector: {matchLabels: {}}}',
    '{selector: {matchLabels: {istio: none}}}',
    '{selectr: {matchLabels: {app: none}}}',
    'none',
  ])('a selector that cannot be read without doubt selects every workload: %s', (spec) => {
    expect(reached('AuthorizationPolicy', spec)).toBe('web db');
  });

  test('a delegate reaches everybody, for others name it', () => {
    expect(reached('VirtualService', '{exportTo: [.], gateways: [edge]}')).toBe(all);
  });

  test.each(['{name: a, namespace: mesh-system}', '{name: a, namespace: istio-system}', '{name: a, namespace: "*"}'])(
    'what may be the root namespace is every namespace: %s',
    (metadata) => {
      expect(reached('AuthorizationPolicy', '{}', metadata)).toBe(all);
    },
  );

  test('an object without a namespace is in the default one', () => {
    expect(reached('AuthorizationPolicy', '{}', '{name: a}')).toBe('');
    expect(reached('Secret', '{}', '{name: a, namespace: edge}')).toBe('edge');
  });
});
