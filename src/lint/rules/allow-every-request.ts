import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** By such a name the author says that it is meant. */
const saysSo = /allow-?(all|any|every)/i;

/** By such a name the author says that nothing is meant to get in. */
const saysNothing = /deny|block|reject|nothing|none|default/i;

/** An ALLOW rule without a condition: beside it no other ALLOW rule of the workload matters. */
export const rule: Rule = {
  code: 'allow-every-request',
  id: 'MP304',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an ALLOW rule that every request matches',
  why: 'whoever reaches the workload is let in, and the other ALLOW rules of the workload have no effect',
  hint: 'name sources or operations in the rule; if the rule is intended, give the policy a name that contains "allow-all"',
  check({ snapshot, report }) {
    for (const {
      policy,
      rule: { from = [], to = [], when = [] },
      path,
    } of allRulesOf(snapshot)) {
      if ((policy.spec.action ?? 'ALLOW') !== 'ALLOW' || saysSo.test(policy.name)) continue;
      if (from.length + to.length + when.length > 0) continue;
      report({
        ...{ object: policy, path },
        message: 'this ALLOW rule has no condition: every request matches it',
        hint: saysNothing.test(policy.name) ? hintOfNothing : undefined,
      });
    }
  },
};

/** What such a policy is meant to be. */
const hintOfNothing =
  'for a policy that lets nothing in remove "rules" (an ALLOW policy without rules allows no request); for one that lets some requests in name sources or operations in the rule';
