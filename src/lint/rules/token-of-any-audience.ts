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
      if (rule.issuer) {
        const message = `tokens of "${rule.issuer}" are accepted, whatever their audience`;
        report({ object: policy, path: [...path, 'issuer'], message });
        continue;
      }
      const isEmpty = rule.issuer !== undefined;
      report({
        ...{ object: policy, path: [...path, isEmpty ? 'issuer' : 'jwksUri'] },
        message: `"issuer" is ${isEmpty ? 'empty' : 'missing'}: tokens that the keys verify are accepted, whatever their issuer and audience`,
        why: 'whoever gets a token of another issuer or for another service that uses these keys can use it here',
        hint: 'write the "issuer" that the tokens name ("iss"), and list in "audiences" the names that it uses for this service',
      });
    }
  },
};
