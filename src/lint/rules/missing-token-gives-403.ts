import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { Issuers } from '../tokens/issuers.ts';
import { type TokenField, tokenFields } from '../tokens/token-fields.ts';

/** What refuses a request without a token is the rule of access, which knows nothing of logging in. */
export const rule: Rule = {
  code: 'missing-token-gives-403',
  id: 'MP512',
  severity: 'info',
  category: 'tokens',
  direction: 'none',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a required token whose absence is answered with 403',
  why: 'clients that log in after a 401 do not log in after a 403; only an invalid token is answered with 401',
  hint: 'let clients treat 403 as "log in" too, or use an external authorization server (action CUSTOM) that answers 401',
  check({ snapshot, report }) {
    // Without one nothing is answered with 401; that no token is verified then is the matter of another rule.
    if (snapshot.policies.requestAuthentications.length === 0) return;
    const issuers = Issuers.of(snapshot.policies.requestAuthentications);
    for (const policy of snapshot.policies.authorizationPolicies) {
      const field = requiring(policy);
      // Where no token fulfils a rule, another rule says so, and requests with a token are refused as well.
      if (field === undefined || asksForNoSubject(policy, issuers)) continue;
      const message = `"${field.name}" requires a token, and a request without one is answered with 403, not 401`;
      report({ object: policy, path: field.path, part: 'key', message });
    }
  },
};

/** The field by which a policy refuses those who have no token: DENY by its absence, ALLOW where each rule asks for one. */
function requiring(policy: AuthorizationPolicy): TokenField | undefined {
  const { action = 'ALLOW', rules = [] } = policy.spec;
  const fields = [...tokenFields(policy)];
  if (action === 'DENY') return fields.find(({ name }) => name === 'notRequestPrincipals');
  const isAsked = rules.every(
    ({ from = [] }) => from.length > 0 && from.every(({ source }) => source.requestPrincipals !== undefined),
  );
  return action === 'ALLOW' && isAsked ? fields.find(({ name }) => name === 'requestPrincipals') : undefined;
}

function asksForNoSubject(policy: AuthorizationPolicy, issuers: Issuers): boolean {
  return rulesOf([policy]).some(({ rule: { from = [] } }) =>
    from.some(({ source }) => source.requestPrincipals?.some((value) => issuers.isWithoutSubject(value))),
  );
}
