import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { DestinationRule, LocalityLoadBalancing } from '../../policy/destination-rule.ts';
import * as make from '../../testing/objects.ts';
import { resolveTopology } from '../topology/resolve.ts';
import { clientScope } from './merge.ts';
import { host, mergeBench, rule } from './testing/merge-bench.ts';

describe('clientScope', () => {
  test('holds only the labels that a rule of the namespace selects', () => {
    const select = (name: string, matchLabels: Record<string, string>) =>
      rule(name, { host: '*', workloadSelector: { matchLabels } });
    const rules = [select('home/a', { tier: 'front', app: 'else' }), select('shop/a', { app: 'client' })];
    const { scope } = mergeBench({ rules }).compile();
    expect(scope('home/client').labels).toEqual({ tier: 'front' });
    expect(scope('shop/web').key).toBe(scope('shop/other').key);
    expect(scope('shop/web').key).not.toBe(scope('home/client').key);
    expect(scope('mesh-system/gateway').role).toBe('router');
  });
});

describe('clientScope of a client with a locality', () => {
  const labels = { tier: 'front', 'topology.kubernetes.io/region': 'eu', 'mesh-locality': 'eu.west' };
  const client = make.pod({ name: 'home/client', labels }, '10.0.1.1');
  const scopeFor = (spec: DestinationRule['spec'], settings: Partial<Settings> = {}) => {
    const topology = resolveTopology([client], defaultSettings, new DiagnosticBag());
    const [workload] = topology.workloads;
    if (workload === undefined) throw new Error('no workload');
    return clientScope(workload, { ...defaultSettings, ...settings }, { destinationRules: [rule('shop/r', spec)] });
  };
  const balanced = (localityLbSetting: LocalityLoadBalancing): DestinationRule['spec'] => ({
    host,
    subsets: [{ name: 'v1', trafficPolicy: { loadBalancer: { localityLbSetting } } }],
  });
  const distribute = [{ from: '*', to: { eu: 100 } }];

  test.each<[string, DestinationRule['spec'], Partial<Settings>, string | undefined]>([
    ['no rule asks', { host }, {}, undefined],
    ['a rule ejects endpoints', { host, trafficPolicy: { outlierDetection: {} } }, {}, 'eu/west'],
    ['a subset sets shares', balanced({ distribute }), {}, 'eu/west'],
    ['the mesh sets shares', { host }, { localityRules: { distribute } }, 'eu/west'],
  ])('holds the locality only where it counts: %s', (_, spec, settings, expected) => {
    expect(scopeFor(spec, settings).locality).toBe(expected);
  });

  test('holds the labels that endpoints are compared by, also those that follow from the locality', () => {
    const keys = ['tier', 'none', 'version=v1', 'topology.kubernetes.io/zone'];
    const compared = { tier: 'front', 'topology.kubernetes.io/zone': 'west' };
    expect(scopeFor(balanced({ failoverPriority: keys })).labels).toEqual(compared);
    const settings = { localityRules: { failoverPriority: keys } };
    expect(scopeFor({ host }, settings).labels).toEqual({});
    expect(scopeFor({ host, trafficPolicy: { outlierDetection: {} } }, settings).labels).toEqual(compared);
  });
});
