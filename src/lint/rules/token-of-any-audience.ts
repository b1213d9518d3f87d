import type { Rule } from '../rule.ts';
import { jwtRulesOf } from '../tokens/jwt-rules.ts';

/** One issuer serves many services, and its tokens say for which they are. */
export const rule: Rule = {
  code: 'token-of-any-audience',
  id: 'MP506',
  severity: 'info',
  category: 'tokens',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'tokens are accepted for every audience',
  why: 'another service that receives a token of the same issuer can use it here on behalf of its owner',
  hint: 'list in "audiences" the names that the issuer uses for this service',
  check({ snapshot, report }) {
    for (const { policy, rule, path } of jwtRulesOf(snapshot.policies.requestAuthentications)) {
      if ((rule.audiences ?? []).length > 0) continue;
      const field = rule.issuer === undefined ? 'jwksUri' : 'issuer';
      const issuer = rule.issuer || (rule.jwksUri ?? '');
      report({
        ...{ object: policy, path: [...path, field] },
        message: `tokens of "${issuer}" are accepted, whatever their audience`,
      });
    }
  },
};
