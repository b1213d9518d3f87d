import type { JsonPath } from '../../diagnostics/span.ts';
import type { DestinationRule, TrafficBlocks } from '../../policy/destination-rule.ts';
import type { Rule } from '../rule.ts';

/** Only endpoints that are ejected are failed over from. */
export const rule: Rule = {
  code: 'failover-without-outlier-detection',
  id: 'MP632',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['DestinationRule'],
  needs: 'policies',
  since: '0.1.0',
  title: 'failover between localities without outlier detection',
  why: 'nothing detects that endpoints fail, so requests stay where they are, and the failover has no effect',
  hint: 'add "outlierDetection" to the same trafficPolicy',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.destinationRules) {
      for (const { own, path, above } of levelsOf(object)) {
        const { failover, failoverPriority } = own.loadBalancer?.localityLbSetting ?? {};
        const field = failover === undefined ? 'failoverPriority' : 'failover';
        if ((failover ?? failoverPriority) === undefined || own.outlierDetection || above?.outlierDetection) continue;
        report({
          ...{ object, path: [...path, 'loadBalancer', 'localityLbSetting', field], part: 'key' },
          message: `"${field}" is there, and "outlierDetection" is not`,
        });
      }
    }
  },
};

interface Level {
  readonly own: TrafficBlocks;
  readonly path: JsonPath;
  /** Where a block comes from that the level does not have. */
  readonly above?: TrafficBlocks | undefined;
}

function levelsOf({ spec: { trafficPolicy, subsets = [] } }: DestinationRule): readonly Level[] {
  const levels: Level[] = trafficPolicy === undefined ? [] : [{ own: trafficPolicy, path: ['spec', 'trafficPolicy'] }];
  for (const [i, { trafficPolicy: own }] of subsets.entries()) {
    if (own) levels.push({ own, path: ['spec', 'subsets', i, 'trafficPolicy'], above: trafficPolicy });
  }
  return levels;
}
