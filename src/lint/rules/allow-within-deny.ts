import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { coversRule } from '../authorization/covers.ts';
import { isEnforced } from '../authorization/enforced.ts';
import { type RuleAt, rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { bySelector } from '../tokens/meeting.ts';

/** So many rules of each side are compared for one selector. */
const mostRules = 200;

/** A DENY policy of the same workloads takes everything that an ALLOW rule gives. */
export const rule: Rule = {
  code: 'allow-within-deny',
  id: 'MP307',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an ALLOW rule whose requests are all denied by a DENY rule',
  why: 'DENY policies are evaluated first, so the ALLOW rule lets nobody in',
  hint: 'exempt from the DENY rule what this rule allows (such as by "notPrincipals" with its identities), or remove this rule',
  check({ snapshot, report }) {
    for (const policies of bySelector(snapshot.policies.authorizationPolicies).values()) {
      const denying = rulesOf(policies.filter(isDenying)).filter(isNarrowed).slice(0, mostRules);
      if (denying.length === 0) continue;
      const allowed = policies.filter(({ spec: { action = 'ALLOW' } }) => action === 'ALLOW');
      for (const { policy, rule: narrow, path } of rulesOf(allowed).filter(isNarrowed).slice(0, mostRules)) {
        const wide = denying.find((other) => coversRule(other.rule, narrow));
        if (wide === undefined) continue;
        report({
          ...{ object: policy, path },
          message: `everything that this rule allows is denied by "${wide.policy.name}" for the same workloads`,
          hint: coversRule({ from: narrow.from ?? [] }, wide.rule)
            ? 'remove one of the two rules, or narrow the DENY rule to operations ("to")'
            : undefined,
          related: [{ object: wide.policy, path: wide.path, message: 'the DENY rule' }],
        });
      }
    }
  },
};

/** What a dry run would deny passes. */
function isDenying(policy: AuthorizationPolicy): boolean {
  return policy.spec.action === 'DENY' && isEnforced(policy);
}

/** A rule without a condition is told as what it is. */
function isNarrowed({ rule: own }: RuleAt): boolean {
  return Object.keys(own).length > 0;
}
