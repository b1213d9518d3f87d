import { isEnforced } from '../authorization/enforced.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A DENY rule for those who have a token, where those who have none were meant. */
export const rule: Rule = {
  code: 'valid-token-denied',
  id: 'MP331',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a DENY rule for every request that has a valid token',
  why: 'requests with a valid token are refused, and those without one are not: the rule protects nothing',
  hint: 'write "notRequestPrincipals" to refuse requests without a token',
  check({ snapshot, report }) {
    for (const at of allRulesOf(snapshot)) {
      if (at.policy.spec.action !== 'DENY' || !isEnforced(at.policy)) continue;
      for (const { field, isNegated, value, path } of placedValues(
        at,
        /^(requestPrincipals|request\.auth\.principal)$/,
      )) {
        if (isNegated || (value !== '*' && value !== '*/*')) continue;
        const isCondition = field === 'request.auth.principal';
        const message = `"${field}" with "${value}" in a DENY rule refuses every request that has a valid token`;
        const hint = isCondition ? 'write "notValues" to refuse requests without a token' : undefined;
        report({ object: at.policy, path, message, hint });
      }
    }
  },
};
