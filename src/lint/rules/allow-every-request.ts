import type { Operation } from '../../policy/authorization-policy.ts';
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
      if (from.length + when.length > 0 || !(to.length === 0 || to.some(({ operation }) => isAny(operation)))) continue;
      report({
        ...{ object: policy, path },
        message:
          to.length === 0
            ? 'this ALLOW rule has no condition: every request matches it'
            : 'this ALLOW rule has no condition but for stars: every HTTP request matches it',
        hint: saysNothing.test(policy.name) ? hintOfNothing : undefined,
      });
    }
  },
};

/** Whether its fields take whatever a request has there. */
function isAny(operation: Operation): boolean {
  const fields = Object.entries(operation).filter(([, values]) => values !== undefined);
  return (
    fields.length > 0 &&
    fields.every(([field, values]) => {
      if (field === 'paths') return values.includes('*') || values.includes('/*');
      return (field === 'methods' || field === 'hosts') && values.includes('*');
    })
  );
}

/** What such a policy is meant to be. */
const hintOfNothing =
  'for a policy that lets nothing in remove "rules" (an ALLOW policy without rules allows no request); for one that lets some requests in name sources or operations in the rule';
