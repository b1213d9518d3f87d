import type { Rule } from '../rule.ts';

/** Names by which the author says that the policy refuses. */
const refusing = /^(deny|block|reject|forbid|disallow)[-.]|[-.](deny|block|reject|forbid|disallow)$/;

/** An action that is left out is ALLOW. */
export const rule: Rule = {
  code: 'deny-by-name-alone',
  id: 'MP328',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a policy whose name says that it denies, and which has no action',
  why: 'without "action" a policy allows: what its rules name is let in, and everything else to the workload is refused',
  hint: 'write "action: DENY"; if the rules are meant to allow, write "action: ALLOW"',
  check({ snapshot, report }) {
    for (const policy of snapshot.policies.authorizationPolicies) {
      const { action, rules = [] } = policy.spec;
      // Without rules it allows nothing; a rule without a condition is told of by itself.
      const isSpecific = rules.some(({ from = [], to = [], when = [] }) => from.length + to.length + when.length > 0);
      if (action !== undefined || !isSpecific || !refusing.test(policy.name)) continue;
      // An ALLOW list of callers may well be what refuses the others.
      if (rules.some(({ from = [] }) => from.length > 0)) continue;
      const message = `"${policy.name}" has no "action", so that it allows what its rules name`;
      report({ object: policy, path: ['metadata', 'name'], message });
    }
  },
};
