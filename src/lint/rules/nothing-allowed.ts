import { isEnforced } from '../authorization/enforced.ts';
import { saysToRefuse } from '../authorization/names.ts';
import type { Rule } from '../rule.ts';

/** An empty ALLOW policy is the usual way to refuse everything, where its name or its place says so. */
export const rule: Rule = {
  code: 'nothing-allowed',
  id: 'MP302',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an ALLOW policy without a rule',
  why: 'the policy matches no request, and the workloads refuse every request that no other policy allows',
  hint: 'add rules; if the policy is intended, give it a name that contains "allow-nothing" or "deny"',
  check({ snapshot, report }) {
    for (const policy of snapshot.policies.authorizationPolicies) {
      const { action = 'ALLOW', rules = [], selector } = policy.spec;
      if (action !== 'ALLOW' || rules.length > 0 || saysToRefuse(policy) || !isEnforced(policy)) continue;
      // For a whole namespace it is the customary base, which other policies add to.
      if (selector === undefined && policy.spec.rules === undefined) continue;
      report({
        ...{ object: policy, path: policy.spec.rules === undefined ? ['metadata', 'name'] : ['spec', 'rules'] },
        message: `the ALLOW policy "${policy.name}" has no rule: it allows nothing`,
      });
    }
  },
};
