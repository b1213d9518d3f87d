import { append } from '../../lib/append.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { isEnforced } from '../authorization/enforced.ts';
import { saysToRefuse } from '../authorization/names.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A DENY rule without a condition, under a name that does not say so, or beside a policy that allows something. */
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
  hint: 'name sources or operations in the rule; if it is meant to refuse everything, give the policy a name with "deny"',
  check({ snapshot, report }) {
    const allowing = new Map<string, AuthorizationPolicy[]>();
    for (const policy of snapshot.policies.authorizationPolicies) {
      const { action = 'ALLOW', rules = [] } = policy.spec;
      if (action === 'ALLOW' && rules.length > 0 && isEnforced(policy)) append(allowing, policy.namespace, policy);
    }
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      const { from = [], to = [], when = [] } = own;
      if (policy.spec.action !== 'DENY' || !isEnforced(policy)) continue;
      if (from.length + to.length + when.length > 0) continue;
      const useless = allowing.get(policy.namespace)?.find((other) => holdsFor(policy, other));
      if (useless !== undefined) {
        const message = `this DENY rule has no condition: what "${useless.name}" allows is refused too`;
        const related = [{ object: useless, path: ['metadata', 'name'], message: 'the policy without effect' }];
        report({ object: policy, path, message, hint: hintBesideAllow(policy), related });
      } else if (!saysToRefuse(policy)) {
        report({ object: policy, path, message: 'this DENY rule has no condition: every request is refused' });
      }
    }
  },
};

/** Without its only rule the policy would be one of an action without rules; deleted, it would leave other workloads open. */
function hintBesideAllow({ spec: { selector } }: AuthorizationPolicy): string {
  const left = selector === undefined ? '"spec: {}"' : 'only "selector" in its spec';
  return `to refuse only what no policy allows, remove "action" and "rules" (${left}): an ALLOW policy without rules refuses whatever no other ALLOW policy allows; or narrow the rule to sources or operations; if everything is to be refused, remove the ALLOW policies`;
}

/** Whether a policy applies to every workload that the other one applies to, both of one namespace. */
function holdsFor({ spec, target }: AuthorizationPolicy, other: AuthorizationPolicy): boolean {
  // In the root namespace a selector reaches further, and a Gateway that is not known may be served by other workloads.
  if (target !== undefined && target.gateway !== other.target?.gateway) return false;
  const labels = other.spec.selector?.matchLabels ?? {};
  return Object.entries(spec.selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}
