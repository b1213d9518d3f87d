import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/**
 * Which spellings are made one before rules are looked at is a setting of the mesh. Where another spelling of the one path
 * named does not get access, nothing is lost; below a prefix, `/public/..%2fadmin` is another place.
 */
export const rule: Rule = {
  code: 'weak-path-normalization',
  id: 'MP416',
  severity: 'warning',
  category: 'matching',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'rules about paths in a mesh that does not normalize paths fully',
  why: 'a request with another spelling of the path does not match the rule, and the application may treat it as that path',
  hint: 'set pathNormalization.normalization to DECODE_AND_MERGE_SLASHES in the mesh configuration',
  check({ snapshot, report }) {
    const level = snapshot.settings.pathNormalization;
    if (level === 'DECODE_AND_MERGE_SLASHES') return;
    for (const at of allRulesOf(snapshot)) {
      const isAllowed = (at.policy.spec.action ?? 'ALLOW') === 'ALLOW';
      const found = placedValues(at, /^(p|notP)aths$/).find(
        ({ value, isNegated }) => value !== '*' && (value.includes('*') || isAllowed === isNegated),
      );
      if (found === undefined) continue;
      const message = `other spellings of "${found.value}" bypass this rule: paths are normalized at level ${level} only`;
      report({ object: at.policy, path: found.path, message });
    }
  },
};
