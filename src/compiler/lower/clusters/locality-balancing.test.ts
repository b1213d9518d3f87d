import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import type { LocalityLoadBalancing, TrafficBlocks } from '../../../policy/destination-rule.ts';
import { endpoint } from '../../../testing/topology.ts';
import { localityBalancing, matchesLocality } from './locality-balancing.ts';
import { localityGroups } from './locality-groups.ts';

interface Client {
  readonly locality?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const outlierDetection = {};
const rule = (localityLbSetting: LocalityLoadBalancing): TrafficBlocks => ({
  loadBalancer: { localityLbSetting },
  outlierDetection,
});

function balancingOf(blocks: TrafficBlocks, { locality, labels = {} }: Client, settings: Partial<Settings> = {}) {
  const scope = { labels, ...(locality === undefined ? {} : { locality }) };
  return localityBalancing(blocks, 'static', scope, { ...defaultSettings, ...settings });
}

/** `locality*weight` of the groups, by priority. */
function spread(blocks: TrafficBlocks, client: Client, localities: readonly (string | undefined)[]): string[][] {
  const endpoints = localities.map((locality, i) => endpoint(`10.0.0.${i}`, { locality }));
  const priorities: string[][] = [];
  for (const { locality, priority, weight } of localityGroups(endpoints, balancingOf(blocks, client))) {
    priorities[priority] = [...(priorities[priority] ?? []), `${locality}*${weight}`];
  }
  return priorities;
}

const everywhere = ['eu/west/1', 'eu/west/2', 'eu/east/1', 'us/west/1', 'ap/south/1', undefined];

describe('localityBalancing', () => {
  const distribute = [{ from: 'eu/*', to: { 'eu/west/*': 80, us: 20 } }];
  const meshRules = { localityRules: { distribute } };
  const eu = { locality: 'eu/west/1' };

  test.each<[string, TrafficBlocks, Client, Partial<Settings>, string]>([
    ['no rule', {}, eu, {}, 'none'],
    ['outlier detection and an unknown client', { outlierDetection }, {}, {}, 'weighted'],
    ['outlier detection', { outlierDetection }, eu, {}, 'priorities'],
    ['failover without outlier detection', { loadBalancer: { localityLbSetting: { failover: [] } } }, eu, {}, 'none'],
    ['shares', { loadBalancer: { localityLbSetting: { distribute } } }, eu, {}, 'shares'],
    ['shares for others', { loadBalancer: { localityLbSetting: { distribute } } }, { locality: 'us' }, {}, 'none'],
    ['shares for others and outlier detection', rule({ distribute }), { locality: 'us' }, {}, 'weighted'],
    ['shares of the mesh', {}, eu, meshRules, 'shares'],
    ['a rule over shares of the mesh', rule({}), eu, meshRules, 'priorities'],
    ['a rule that is off', rule({ distribute, enabled: false }), eu, meshRules, 'none'],
    ['a mesh that is off', { outlierDetection }, eu, { ...meshRules, localityLoadBalancing: false }, 'none'],
    ['a rule where the mesh is off', rule({}), eu, { localityLoadBalancing: false }, 'priorities'],
    ['labels and an unknown client', rule({ failoverPriority: ['tier'] }), {}, {}, 'priorities'],
  ])('with %s', (_, blocks, client, settings, kind) => {
    expect(balancingOf(blocks, client, settings).kind).toBe(kind);
  });

  test.each([
    ['*', undefined, true],
    ['eu', 'eu/west/1', true],
    ['eu/*', 'eu/west/1', true],
    ['eu/west', 'eu/west/1', true],
    ['eu/west/*', 'eu/west', true],
    ['eu/west/2', 'eu/west/1', false],
    ['eu/east/*', 'eu/west/1', false],
    ['e', 'eu', false],
    ['eu', undefined, false],
  ])('the pattern %s takes the locality %s: %s', (pattern, locality, expected) => {
    expect(matchesLocality(pattern, locality)).toBe(expected);
  });
});

describe('localityGroups', () => {
  test.each<[string, TrafficBlocks, Client, string[][]]>([
    [
      'the nearest first',
      { outlierDetection },
      { locality: 'eu/west/1' },
      [['eu/west/1*1'], ['eu/west/2*1'], ['eu/east/1*1'], ['*1', 'ap/south/1*1', 'us/west/1*1']],
    ],
    [
      'the region that a failover names before the others',
      rule({ failover: [{ from: 'eu', to: 'us' }] }),
      { locality: 'eu/west/1' },
      [['eu/west/1*1'], ['eu/west/2*1'], ['eu/east/1*1'], ['us/west/1*1'], ['*1', 'ap/south/1*1']],
    ],
    [
      'priorities without gaps where nothing is near',
      rule({ failover: [{ from: 'af', to: 'us' }] }),
      { locality: 'af/north' },
      [['us/west/1*1'], ['*1', 'ap/south/1*1', 'eu/east/1*1', 'eu/west/1*1', 'eu/west/2*1']],
    ],
    [
      'shares divided among the localities of a pattern, the rest left out',
      rule({ distribute: [{ from: '*', to: { 'eu/west': 75, 'us/*': 25 } }] }),
      {},
      [['eu/west/1*38', 'eu/west/2*38', 'us/west/1*25']],
    ],
    [
      'labels of the topology, which follow from localities',
      rule({ failoverPriority: ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'] }),
      { labels: { 'topology.kubernetes.io/region': 'eu', 'topology.kubernetes.io/zone': 'east' } },
      [['eu/east/1*1'], ['eu/west/1*1', 'eu/west/2*1'], ['*1', 'ap/south/1*1', 'us/west/1*1']],
    ],
    [
      'a label with a value of its own, then the order of regions',
      rule({ failoverPriority: ['topology.istio.io/subzone=2'], failover: [{ from: 'us', to: 'ap' }] }),
      { locality: 'us/west/1' },
      [['eu/west/2*1'], ['us/west/1*1'], ['ap/south/1*1'], ['*1', 'eu/east/1*1', 'eu/west/1*1']],
    ],
  ])('gives %s', (_, blocks, client, expected) => {
    expect(spread(blocks, client, everywhere)).toEqual(expected);
  });

  test('splits a locality whose endpoints carry different labels', () => {
    const members = ['a', 'b', 'a'].map((tier, i) =>
      endpoint(`10.0.0.${i}`, { locality: 'eu', labels: { tier }, weight: 2 }),
    );
    const balancing = balancingOf(rule({ failoverPriority: ['tier'] }), { labels: { tier: 'b' } });
    expect(localityGroups(members, balancing)).toMatchObject([
      { locality: 'eu', priority: 0, weight: 2, members: [{ address: '10.0.0.1' }] },
      { locality: 'eu', priority: 1, weight: 4, members: [{ address: '10.0.0.0' }, { address: '10.0.0.2' }] },
    ]);
  });
});
