import { isEnforced } from '../authorization/enforced.ts';
import { saysToRefuse } from '../authorization/names.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A DENY rule without a condition, under a name that does not say so. */
export const rule: Rule = {
  code: 'everything-denied',
  id: 'MP303',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a DENY rule that every request matches',
  why: 'the workloads refuse every request, whatever other policies allow',
  hint: 'name sources or operations in the rule, or give the policy a name with "deny" to say that it is meant',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      const { from = [], to = [], when = [] } = own;
      if (policy.spec.action !== 'DENY' || !isEnforced(policy)) continue;
      if (from.length + to.length + when.length > 0 || saysToRefuse(policy)) continue;
      report({ object: policy, path, message: 'this DENY rule has no condition: every request is refused' });
    }
  },
};
