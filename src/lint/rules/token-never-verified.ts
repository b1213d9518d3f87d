import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Rule } from '../rule.ts';
import { Meeting } from '../tokens/meeting.ts';
import { type TokenField, tokenFields } from '../tokens/token-fields.ts';

/** A claim counts only where a RequestAuthentication has verified the token that makes it. */
export const rule: Rule = {
  code: 'token-never-verified',
  id: 'MP502',
  severity: 'warning',
  category: 'tokens',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a rule about tokens for workloads that verify no tokens',
  why: 'without a verified token no request has a request principal or a claim, so the condition never matches or, if negated, always matches',
  hint: 'add a RequestAuthentication for the same workloads, or correct the selector of the existing one',
  check({ snapshot, report, skip }) {
    const { authorizationPolicies, requestAuthentications } = snapshot.policies;
    const verifying = requestAuthentications.filter(({ spec }) => (spec.jwtRules ?? []).length > 0);
    const meeting = new Meeting(verifying, snapshot.settings.rootNamespace);
    const workloads = workloadsByLabels(snapshot.topology);
    for (const policy of authorizationPolicies) {
      const field = firstAsking(policy);
      if (field === undefined || meeting.mayMeet(policy)) continue;
      const isKnown = workloads.select(policy.namespace, policy.spec.selector?.matchLabels).length > 0;
      if (verifying.length === 0 && !isKnown) {
        skip(policy);
        continue;
      }
      report({
        ...{ object: policy, path: field.path, part: field.name.startsWith('request.auth.') ? 'value' : 'key' },
        message: `"${field.name}" asks for a verified token, and no RequestAuthentication of the input verifies tokens for these workloads`,
      });
    }
  },
};

/** An ALLOW rule for requests without a token holds as it says. */
function firstAsking(policy: AuthorizationPolicy): TokenField | undefined {
  const { action = 'ALLOW' } = policy.spec;
  return [...tokenFields(policy)].find(({ isNegated }) => !isNegated || action === 'DENY');
}
