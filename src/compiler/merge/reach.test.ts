import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { noPolicies, type PolicySet } from '../../policy/policy-set.ts';
import * as make from '../../testing/objects.ts';
import { resolveTopology } from '../topology/resolve.ts';
import { merge } from './merge.ts';

const plain = { containers: [{ name: 'app' }] };
const topology = resolveTopology(
  [
    make.namespace('empty'),
    make.pod({ name: 'shop/web', labels: { app: 'web' } }, '10.0.0.1'),
    make.pod({ name: 'shop/tool', labels: { app: 'tool' } }, '10.0.0.2', plain),
    make.pod({ name: 'plain/web', labels: { app: 'web' } }, '10.0.0.3', plain),
  ],
  defaultSettings,
  new DiagnosticBag(),
);
const nobody = resolveTopology([make.pod('plain/web', '10.0.0.3', plain)], defaultSettings, new DiagnosticBag());
const selecting = (app: string) => ({ selector: { matchLabels: { app } } });

/** What is told of policies, each as code and message. */
function told(policies: Partial<PolicySet>, changes: { toldNamespace?: string; topology?: typeof topology } = {}) {
  const bag = new DiagnosticBag();
  merge({ ...noPolicies, ...policies, topology, settings: defaultSettings, ...changes }, bag);
  return bag.all.map(({ code, message }) => `${code}: ${message.replace(/^.* applies to no workload: /, '')}`);
}

const kinds = {
  peerAuthentications: make.peerAuthentication,
  requestAuthentications: make.requestAuthentication,
  authorizationPolicies: make.authorizationPolicy,
};

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('checkReach of %s', (list) => {
  const of = (name: string, spec = {}, changes = {}) => told({ [list]: [kinds[list](name, spec)] }, changes);

  test.each([
    ['a namespace that there is not', 'shpo/a', {}, 'there is no namespace "shpo"'],
    ['a namespace without workloads', 'empty/a', {}, 'there is no workload in namespace "empty"'],
    ['a namespace without proxies', 'plain/a', {}, 'no workload of namespace "plain" has a proxy'],
    [
      'a selector in a namespace without proxies',
      'plain/a',
      selecting('web'),
      'no workload that its selector matches has a proxy',
    ],
    [
      'a selector of workloads without proxies',
      'shop/a',
      selecting('tool'),
      'no workload that its selector matches has a proxy',
    ],
    ['a selector in a namespace that there is not', 'shpo/a', selecting('web'), 'there is no namespace "shpo"'],
  ])('a policy of %s is reported as one that applies to no workload, with the reason', (_, name, spec, why) => {
    expect(of(name, spec)).toEqual([`policy-in-force-nowhere: ${why}`]);
  });

  test('a policy whose selector matches no workload is reported as such', () => {
    expect(of('shop/a', selecting('wbe'))).toEqual([expect.stringMatching(/^selector-without-workload/)]);
  });

  test('a policy of the root namespace is reported where no workload of the mesh has a proxy', () => {
    expect(of('mesh-system/a', {}, { topology: nobody })).toEqual([
      'policy-in-force-nowhere: no workload of the mesh has a proxy',
    ]);
  });

  test('a policy that holds for some proxy is not reported', () => {
    expect([of('shop/a'), of('shop/a', selecting('web')), of('mesh-system/a')]).toEqual([[], [], []]);
  });

  test('a proxy that compiles for itself gets warnings about policies of its own and the root namespace alone', () => {
    const own = { toldNamespace: 'empty' };
    expect(of('shpo/a', {}, own)).toEqual([]);
    expect(of('empty/a', {}, own)).toHaveLength(1);
    expect(of('mesh-system/a', {}, { ...own, topology: nobody })).toHaveLength(1);
  });
});

describe('checkExports', () => {
  const rule = (exportTo: readonly string[]) =>
    told({ virtualServices: [make.virtualService('shop/a', { hosts: ['a.b'], gateways: ['shop/g'], exportTo })] });

  test('a route or an entry that is exported to unknown namespaces alone is reported', () => {
    const nowhere = (exportTo: readonly string[]) => rule(exportTo).filter((text) => text.startsWith('policy-in'));
    expect(nowhere(['shpo'])).toEqual([
      'policy-in-force-nowhere: there is no namespace "shpo", to which it is exported',
    ]);
    expect(rule(['b']).join()).toContain('there is no namespace "b"');
    for (const exportTo of [[], ['*'], ['.'], ['~'], ['shop'], ['shpo', 'shop']]) expect(nowhere(exportTo)).toEqual([]);
  });
});
