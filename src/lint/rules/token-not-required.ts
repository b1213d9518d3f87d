import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { JwtRule } from '../../policy/request-authentication.ts';
import type { Rule } from '../rule.ts';
import { Meeting } from '../tokens/meeting.ts';
import { readsTokens } from '../tokens/token-fields.ts';

/** Tokens are verified where they are there; that they are there is for an AuthorizationPolicy to ask. */
export const rule: Rule = {
  code: 'token-not-required',
  id: 'MP501',
  severity: 'warning',
  category: 'tokens',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'tokens are verified, but never required',
  why: 'a request without a token passes; only an invalid token is refused',
  hint: 'write "requestPrincipals" into each rule of the ALLOW policies that is for requests with a token, or add a DENY policy with "notRequestPrincipals: ["*"]"',
  check({ snapshot, report, skip }) {
    const { authorizationPolicies, requestAuthentications } = snapshot.policies;
    const { rootNamespace } = snapshot.settings;
    const asking = new Meeting(authorizationPolicies.filter(readsTokens), rootNamespace);
    const any = new Meeting(authorizationPolicies, rootNamespace);
    const workloads = workloadsByLabels(snapshot.topology);
    for (const policy of requestAuthentications) {
      const { selector, jwtRules = [] } = policy.spec;
      if (jwtRules.length === 0 || jwtRules.some(isForTheApplication) || asking.mayMeet(policy)) continue;
      // Policies of access may be kept elsewhere; that some of this place are here tells that they are not.
      const isJudged = any.mayMeet(policy) || workloads.select(policy.namespace, selector?.matchLabels).length > 0;
      if (!isJudged) {
        skip(policy);
        continue;
      }
      report({
        ...{ object: policy, path: ['spec', 'jwtRules'], part: 'key' },
        message: 'tokens are verified here, and no AuthorizationPolicy of the input requires one',
      });
    }
  },
};

/** It gets the token, or what the token says, and may ask for it by itself. */
function isForTheApplication({ forwardOriginalToken, outputClaimToHeaders = [], ...rule }: JwtRule): boolean {
  return forwardOriginalToken === true || rule.outputPayloadToHeader !== undefined || outputClaimToHeaders.length > 0;
}
